/** The verb *test a connection*: one real hand-over, which stores no message and costs no credits (contract §12). */
import type { CloudTemplate } from '../../channels/contract.ts';
import { dispatch, PROVIDER_DEADLINE_MS } from '../../channels/dispatch.ts';
import type { SendOutcome } from '../../channels/outcome.ts';
import { type Ctx, requireOperator } from '../../context.ts';
import { CHANNEL_FACTS, type Channel } from '../../kernel/channel.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { maskPhone, requirePhone } from '../../kernel/phone.ts';
import { Sender } from '../accounts/sender.entity.ts';
import { recordOf } from '../audit/record-audit.ts';
import type { Connection } from './connection.entity.ts';
import { getConnection } from './manage-connections.ts';

/** The text of a test that names none. */
const TEXT = 'Test message from Heliograph.';

/** The sender of a test by a shared connection, or where the account has none. */
const FROM = 'Heliograph';

interface ConnectionTestInput {
  readonly connectionId: string;
  readonly to: string;
  readonly text?: string | null | undefined;
  /** The sender; absent: the default one of the account. */
  readonly from?: string | null | undefined;
  /** A template of a cloud chat in the place of the text, as `name:language`. */
  readonly cloudTemplate?: string | null | undefined;
}

/** The result of a test. */
export interface ConnectionTest {
  readonly outcome: SendOutcome['kind'];
  /** Why it was not accepted, in a word. */
  readonly code: string | null;
  /** The same in a sentence. */
  readonly message: string | null;
  /** The provider's id of what it accepted. */
  readonly providerMessageId: string | null;
  /** How long the provider took, in milliseconds. */
  readonly milliseconds: number;
}

/** Hands a text to the provider of a connection, paused or not. @throws AppError `not_found`; `invalid_input` on `to` and `cloudTemplate` */
export async function testConnection(ctx: Ctx, input: ConnectionTestInput): Promise<ConnectionTest> {
  requireOperator(ctx);
  const phone = requirePhone('to', input.to);
  const connection = await getConnection(ctx.em, input.connectionId);
  const { providers } = ctx.services;
  await providers.refresh();
  const provider = providers.forTest(connection.id);
  if (!provider) throw invalidInput('connectionId', 'is a connection whose config cannot be read: give it a new one');
  const request = {
    attemptId: newId('att'),
    accountId: connection.accountId ?? '',
    channel: connection.channel,
    to: phone.digits,
    from: input.from ?? (await defaultSender(ctx, connection)) ?? FROM,
    text: input.text ?? TEXT,
    template: input.cloudTemplate == null ? null : readTemplate(connection.channel, input.cloudTemplate),
    validitySeconds: null,
  };
  const startedMs = performance.now();
  const outcome = await dispatch(provider, request, PROVIDER_DEADLINE_MS);
  const milliseconds = Math.round(performance.now() - startedMs);
  const details = { to: maskPhone(phone.digits), outcome: outcome.kind, milliseconds };
  await ctx.em.transactional(em => recordOf(em, ctx, connection, 'connection.tested', details));
  const isAccepted = outcome.kind === 'accepted';
  return {
    outcome: outcome.kind,
    code: isAccepted ? null : outcome.code,
    message: isAccepted ? null : outcome.message,
    providerMessageId: isAccepted ? outcome.providerMessageId : null,
    milliseconds,
  };
}

async function defaultSender(ctx: Ctx, { accountId, channel }: Connection): Promise<string | null> {
  if (accountId == null) return null;
  const approved = { accountId, channel, approvedAt: { $ne: null } };
  const sender = await ctx.em.findOne(Sender, approved, { orderBy: { isDefault: 'desc', id: 'asc' } });
  return sender?.address ?? null;
}

function readTemplate(channel: Channel, given: string): CloudTemplate {
  if (CHANNEL_FACTS[channel].templateField === null)
    throw invalidInput('cloudTemplate', `must be absent for the channel ${channel}`);
  const [, name, language] = /^([^:]+):([^:]+)$/.exec(given) ?? [];
  if (!name || !language) throw invalidInput('cloudTemplate', 'must be a name and a language, like hello_world:en_US');
  return { name, language };
}
