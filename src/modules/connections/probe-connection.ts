/** The verb *probe a connection*: finds out whether a config works before it is kept, and sends no text. */
import type { Probed } from '../../channels/contract.ts';
import { probe } from '../../channels/probe.ts';
import { type Ctx, requireOperator } from '../../context.ts';
import { AppError } from '../../kernel/errors.ts';
import { parseId } from '../../kernel/ids.ts';
import { checkConfig, definitionOf } from './check-config.ts';
import { Connection } from './connection.entity.ts';
import type { ProbeConnectionInput } from './connection.input.ts';
import { openConfig, unmaskSecrets } from './sealed-config.ts';

/** The result of a probe. */
export interface ConnectionProbe extends Probed {
  /** How long it took, in milliseconds. */
  readonly milliseconds: number;
}

/** Tries a config. @throws AppError `not_found` (connection); `invalid_input` on `provider` and what of the config cannot work */
export async function probeConnection(ctx: Ctx, input: ProbeConnectionInput): Promise<ConnectionProbe> {
  requireOperator(ctx);
  const definition = definitionOf(input.provider);
  const stored = input.connectionId == null ? null : await storedConfig(ctx, input.connectionId, input.provider);
  const whole = unmaskSecrets(definition.configSchema, input.config, stored) as Record<string, unknown>;
  const config = checkConfig(definition, whole);
  const startedMs = performance.now();
  const probed = await probe(definition, config, ctx.services.settings.chatQrDir);
  return { ...probed, milliseconds: Math.round(performance.now() - startedMs) };
}

async function storedConfig({ em, services }: Ctx, connectionId: string, provider: string): Promise<unknown> {
  const id = parseId('con', connectionId);
  const connection = id ? await em.findOne(Connection, { id, provider, removedAt: null }) : null;
  if (!connection) throw new AppError('not_found', 'There is no such connection.');
  return openConfig(services.keys, connection)?.config;
}
