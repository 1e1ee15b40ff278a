/** The verbs that link a number to its connection, end that or the connection, and accept the risks before (contract §12). The operator only. */
import { z } from 'zod';
import { LINK_METHODS } from '../../../channels/chat-qr/driver/protocol.ts';
import type { LinkStep } from '../../../channels/session.ts';
import { type Ctx, requireOperator } from '../../../context.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { nameInput } from '../../../kernel/storable.ts';
import { recordOf } from '../../audit/record-audit.ts';
import type { Connection } from '../../connections/connection.entity.ts';
import { deleteConnection, getConnection } from '../../connections/manage-connections.ts';
import { ChatSession } from '../chat-session.entity.ts';
import { ACCEPT_RISKS } from '../lease.sql.ts';
import { unlinkSession } from '../locked-number.ts';

/** The risks of a number that is linked as an app. Shown wherever one is linked. */
export const RISKS =
  'A linked number is no official API: it is against the terms of WhatsApp, which bans numbers for it, for good and without a warning. Use a number that you can lose, write to people who asked for it, and never make it the only way of a passcode.';

/** The arguments of `linkConnection`. */
export const linkInput = z.strictObject({
  connectionId: z.string().meta({ description: 'The connection' }),
  method: z.enum(LINK_METHODS).meta({ description: 'How the phone is told' }),
});

/** The input of `acceptChatRisks`. */
export const acceptRisksInput = z
  .strictObject({
    connectionId: z.string().meta({ description: 'The connection' }),
    name: nameInput(100).meta({ description: 'The name of the person who accepts them, for the audit trail' }),
  })
  .meta({ id: 'AcceptChatRisksInput', description: `The risks of a linked number: ${RISKS}` });

/** Notes who accepts the risks of a number, once. @throws AppError `not_found`; `invalid_input` on `connectionId` */
export async function acceptChatRisks(ctx: Ctx, input: z.output<typeof acceptRisksInput>): Promise<Connection> {
  const connection = await linkable(ctx, input.connectionId);
  await ctx.em.transactional(async em => {
    const row = { connection: toUuid(connection.id), by: input.name };
    const accepted = await ACCEPT_RISKS.first(em.getKysely(), row);
    if (!accepted) return;
    await recordOf(em, ctx, connection, 'connection.risks_accepted', { name: input.name });
  });
  return connection;
}

/**
 * Links the number of a connection, step by step. A follower who leaves before the phone has taken a code gives the link up.
 * @throws AppError `not_found`; `invalid_input` on `connectionId`, as where nobody accepted the risks
 */
export async function linkConnection(
  ctx: Ctx,
  { connectionId, method }: z.output<typeof linkInput>,
): Promise<AsyncGenerator<LinkStep, void>> {
  const connection = await linkable(ctx, connectionId);
  const session = await ctx.em.findOne(ChatSession, { connectionId: connection.id });
  if (session?.risksAcceptedAt == null)
    throw invalidInput('connectionId', 'is of a number whose risks nobody has accepted: acceptChatRisks first');
  await ctx.em.transactional(em => recordOf(em, ctx, connection, 'connection.link_begun', { method }));
  return ctx.services.sessions.link(connection.id, method, ctx.signal);
}

/** Ends the session of a connection: its phone is told, and its keys are forgotten. @throws AppError `not_found`; `invalid_input` on `connectionId` */
export async function unlinkConnection(ctx: Ctx, connectionId: string): Promise<Connection> {
  const connection = await linkable(ctx, connectionId);
  await ctx.em.transactional(async em => {
    if (!(await unlinkSession(em, toUuid(connection.id)))) return;
    await recordOf(em, ctx, connection, 'connection.unlinked', {});
  });
  ctx.services.sessions.tellUnlinked(connection.id);
  return connection;
}

/** Removes a connection, and forgets its session: its phone is told by the process with its socket. @throws AppError `not_found` */
export async function removeConnection(ctx: Ctx, connectionId: string): Promise<Connection> {
  return deleteConnection(ctx, connectionId, (em, id) => unlinkSession(em, toUuid(id)));
}

async function linkable(ctx: Ctx, connectionId: string): Promise<Connection> {
  requireOperator(ctx);
  const connection = await getConnection(ctx.em, connectionId);
  await ctx.services.providers.refresh();
  if (ctx.services.providers.of(connection.id)?.session) return connection;
  throw invalidInput('connectionId', 'is of a connection that has no number to link, or whose config cannot be used');
}
