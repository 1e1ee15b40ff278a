/** The statements by which attempts are handed over to the process that owns a session. */
import type { SendOutcome } from '../../../channels/outcome.ts';
import { typed } from '../../../db/statements/sql-types.ts';
import { statement } from '../../../db/statements/statement.ts';

/** The channel of NOTIFY that tells owners of what waits for them; its payload is empty. */
export const HANDOVER_CHANNEL = 'heliograph_handovers';

/** The channel of NOTIFY that tells of outcomes; its payload is the uuid of the attempt. */
export const OUTCOME_CHANNEL = 'heliograph_handover_outcomes';

/** Hands an attempt over. None: nobody owns the session, and nothing is handed over. */
export const HAND_OVER = statement('hand over', {
  takes: {
    attempt: 'uuid',
    connection: 'uuid',
    sendId: 'text?',
    test: 'jsonb?',
    goesToSuppressed: 'boolean',
    seconds: 'float8',
  },
  gives: { attempt_id: 'uuid' },
  sql: p => `
  with made as (
    insert into handovers (attempt_id, connection_id, send_id, test, goes_to_suppressed, deadline_at)
    select ${p.attempt}, connection_id, ${p.sendId}, ${p.test}, ${p.goesToSuppressed}, clock_timestamp() + ${p.seconds} * interval '1 second'
    from chat_sessions where connection_id = ${p.connection} and state = 'linked' and lease_until > clock_timestamp()
    returning attempt_id
  )
  select attempt_id from made where (select count(pg_notify('${HANDOVER_CHANNEL}', '')) from made) >= 0`,
});

/** Takes what waits for the sessions of this process. */
export const TAKE_HANDOVERS = statement('take handovers', {
  takes: { owners: 'uuid[]' },
  gives: {
    attempt_id: 'uuid',
    connection_id: 'uuid',
    send_id: 'text?',
    test: typed<{ readonly to: string; readonly text: string } | null>('jsonb'),
    goes_to_suppressed: 'boolean?',
  },
  sql: p => `
  update handovers h set is_taken = true
  from chat_sessions s
  where s.owner = any(${p.owners}) and s.lease_until > clock_timestamp() and h.connection_id = s.connection_id
    and not h.is_taken and h.deadline_at > clock_timestamp()
  returning h.attempt_id, h.connection_id, h.send_id, h.test, h.goes_to_suppressed`,
});

/** Tells what became of one. */
export const ANSWER_HANDOVER = statement('answer handover', {
  takes: { attempt: 'uuid', outcome: 'jsonb' },
  gives: { attempt_id: 'uuid' },
  sql: p => `
  with answered as (
    update handovers set outcome = ${p.outcome} where attempt_id = ${p.attempt} returning attempt_id
  )
  select attempt_id from answered where (select count(pg_notify('${OUTCOME_CHANNEL}', attempt_id::text)) from answered) >= 0`,
});

/** Ends one that was answered, or that nobody has taken. None: it is under way. */
export const END_HANDOVER = statement('end handover', {
  takes: { attempt: 'uuid' },
  gives: { outcome: typed<SendOutcome | null>('jsonb') },
  sql: p =>
    `delete from handovers where attempt_id = ${p.attempt} and (outcome is not null or not is_taken) returning outcome`,
});

/** Forgets those that nobody waits for any more: their process is gone. */
export const PURGE_HANDOVERS = statement('purge handovers', {
  sql: () => `delete from handovers where deadline_at < clock_timestamp() - interval '1 hour'`,
});
