/** The verb *recover messages*: ends what a dead process left, so that everything that was accepted comes to a definite state. */
import type { Ctx } from '../../context.ts';
import { runSql } from '../../db/sql.ts';
import { loadAccount } from '../accounts/load-account.ts';
import { LEASE_SECONDS } from './accept.ts';
import { Attempt } from './attempt.entity.ts';
import { Message } from './message.entity.ts';
import { routeMessage, writeOutcome } from './route-message.ts';
import { isAccepted, legOf } from './routing.policy.ts';

/** How many messages one round takes: more than a process has under way, so that what one left is taken at once. */
const ROUND_SIZE = 1_000;

/**
 * The longest that the channels which follow may take together: with the lease of what was left (15 s) and the interval of the
 * rounds (2 s) a definite state comes within 35 s of a restart (contract §4), however slow the providers are.
 */
const RECOVERY_DEADLINE_MS = 15_000;

/**
 * Takes the messages whose lease is over, and goes on with each: an attempt that was under way is `unknown` (the provider may
 * have it) and never repeated; in `fallback` mode the next channel follows. Answers how many were taken.
 */
export async function recoverMessages(ctx: Ctx): Promise<number> {
  const taken = await runSql<{ id: string; lease: string }>(
    ctx.services.database.sql(),
    `update messages set lease_until = clock_timestamp() + make_interval(secs => $1::int)
     where id in (select id from messages where lease_until < now() order by lease_until limit $2 for update skip locked)
     returning id, lease_until::text as lease`,
    [LEASE_SECONDS, ROUND_SIZE],
  );
  const results = await Promise.allSettled(taken.map(row => recoverMessage(ctx, row.id, row.lease)));
  for (const result of results) {
    if (result.status === 'rejected')
      ctx.log.error(
        { err: result.reason },
        'a message could not be recovered; it is tried again when its lease is over',
      );
  }
  return taken.length;
}

async function recoverMessage(ctx: Ctx, id: string, lease: string): Promise<void> {
  const em = ctx.services.database.fork();
  const message = await em.findOneOrFail(Message, { id });
  const attempts = await em.find(Attempt, { messageId: message.id });
  const account = await loadAccount(ctx.services.database, message.accountId);
  attempts.sort((a, b) => message.channels.indexOf(a.channel) - message.channels.indexOf(b.channel));
  const interrupted = attempts.filter(attempt => attempt.status === 'pending');
  for (const attempt of interrupted) {
    writeOutcome(
      attempt,
      { kind: 'unknown', code: 'interrupted', message: 'The gateway stopped while the provider was asked.' },
      ctx.clock.now(),
    );
  }
  const isRouted = message.deliveryMode === 'all' || isAccepted(attempts) || !account;
  const untried = message.channels.filter(channel => !attempts.some(attempt => attempt.channel === channel));
  const rest = isRouted ? [] : untried.map(channel => legOf(channel, message, account));
  await routeMessage(ctx, { message, lease, attempts, interrupted, rest, deadlineMs: RECOVERY_DEADLINE_MS });
  ctx.log.warn({ messageId: message.id, status: message.status }, 'a message that was left pending has been recovered');
}
