/** What recovery means for every kind of send: the leases of dead processes are taken, and each routing goes on to its end. */
import type { SendOutcome } from '../../channels/contract.ts';
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import { loadAccount } from '../accounts/load-account.ts';
import { unpaid } from '../billing/shortage.ts';
import type { ChannelAttempt } from './attempt.entity.ts';
import { routeSend, writeOutcome } from './route-send.ts';
import { isAccepted, legOf, NO_ROUTE } from './routing.policy.ts';
import { LEASE_SECONDS, RECOVERY_DEADLINE_MS, type Send, type SendKind } from './send-kind.ts';
import type { SendTable } from './settle.ts';

/** How many sends one round takes: more than a process has under way, so that what one left is taken at once. */
const ROUND_SIZE = 1_000;

/** A send with what its route was planned from. */
interface Resumable extends Send {
  /** The channels of the route, in order. */
  readonly channels: readonly Channel[];
  readonly chatFrom?: string | null | undefined;
  readonly sender?: string | null | undefined;
}

/** Takes the sends of a table whose lease is over, by the database's clock, and resumes each. Answers how many were taken. */
export async function recoverSends(
  ctx: Ctx,
  table: SendTable['table'],
  resume: (uuid: string, lease: string) => Promise<void>,
): Promise<number> {
  const taken = await runSql<{ id: string; lease: string }>(
    ctx.services.database.sql(),
    `update ${table} set lease_until = clock_timestamp() + make_interval(secs => $1::int)
     where id in (select id from ${table} where lease_until < now() order by lease_until limit $2 for update skip locked)
     returning id, lease_until::text as lease`,
    [LEASE_SECONDS, ROUND_SIZE],
  );
  const results = await Promise.allSettled(taken.map(row => resume(row.id, row.lease)));
  for (const result of results) {
    if (result.status === 'rejected')
      ctx.log.error(
        { err: result.reason, table },
        'a send could not be recovered; it is tried again when its lease is over',
      );
  }
  return taken.length;
}

/** A routing as it was left. */
export interface LeftRouting<Kind extends Resumable> {
  readonly send: Kind;
  readonly lease: string;
  /** The attempts of this routing so far. */
  readonly attempts: ChannelAttempt[];
  /** Whether a channel that was not tried yet still makes sense. */
  readonly isWanted: boolean;
}

/** What a dead process leaves of an attempt. No provider was asked where there was none, nor for an SMS that nothing was held for. */
async function leftOutcome(ctx: Ctx, { id, channel, provider }: ChannelAttempt): Promise<SendOutcome> {
  if (provider === null) return NO_ROUTE;
  if (channel === 'sms') {
    const sql = ctx.services.database.sql();
    const [hold] = await runSql(sql, `select 1 from ledger where attempt_id = $1 and kind = 'hold'`, [toUuid(id)]);
    if (!hold) return unpaid('balance');
  }
  return { kind: 'unknown', code: 'interrupted', message: 'The gateway stopped while the provider was asked.' };
}

/**
 * Goes on with a routing that a dead process left: an attempt that was under way is `unknown` (the provider may have it) and
 * never repeated; in `fallback` mode the next channel follows.
 */
export async function resumeRouting<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  { send, lease, attempts, isWanted }: LeftRouting<Kind>,
): Promise<void> {
  const account = await loadAccount(ctx.services.database, send.accountId);
  const { channels } = send;
  attempts.sort((a, b) => channels.indexOf(a.channel) - channels.indexOf(b.channel));
  const interrupted = attempts.filter(attempt => attempt.status === 'pending');
  for (const attempt of interrupted) writeOutcome(attempt, await leftOutcome(ctx, attempt), ctx.clock.now());
  const isRouted = send.deliveryMode === 'all' || isAccepted(attempts) || !account || !isWanted;
  const untried = channels.filter(channel => !attempts.some(attempt => attempt.channel === channel));
  const rest = isRouted ? [] : untried.map(channel => legOf(channel, send, account));
  await routeSend(ctx, {
    send,
    kind,
    lease,
    shortage: null,
    attempts,
    interrupted,
    rest,
    deadlineMs: RECOVERY_DEADLINE_MS,
  });
  ctx.log.warn({ id: send.id }, 'a send that was left pending has been recovered');
}
