/**
 * Whether events are state changes. Triggers keep every committed change of messages, attempts and OTPs. The events that must be
 * told, their order and their endpoints follow from these changes and the words of the interface alone.
 */
import { toUuid } from '../../../src/kernel/ids.ts';
import type { RunSql } from '../otp/pins.ts';

/** A row before and after, as far as events go by it. */
interface Row {
  readonly id: string;
  readonly area: string;
  readonly status: string;
  readonly lease_until: string | null;
  readonly channel: string | null;
  readonly type?: string;
  readonly pin_id?: string | null;
}

/** A committed change. */
interface Change {
  readonly kind: 'messages' | 'attempts' | 'otps';
  /** Null: the row is new. */
  readonly old: Row | null;
  readonly new: Row;
  /**
   * Of an OTP: the statuses of the attempts of its latest send after the change. Of such an attempt the same, where the routing is over and the code can
   * be used still; null: it is not.
   */
  readonly attempts: readonly string[] | null;
  /** The transaction. */
  readonly tx: string;
}

/** Has the database keep every change. For a database of this test alone. */
export async function noteChanges(sql: RunSql): Promise<void> {
  await sql(
    `create table changes (seq bigint generated always as identity primary key, account_id uuid not null, kind text not null,
       old jsonb, new jsonb not null, attempts jsonb, tx text not null default pg_current_xact_id()::text)`,
  );
  await sql(
    `create function note_change() returns trigger language plpgsql as $$ begin
       insert into changes (account_id, kind, old, new, attempts)
       values (new.account_id, tg_argv[0], to_jsonb(old), to_jsonb(new), case when tg_argv[0] = 'otps' then (
         select jsonb_agg(a.status) from attempts a
         where a.pin_id = new.id and a.type = 'otp_attempt' and a.resend = (to_jsonb(new)->>'resends')::int)
         when tg_argv[0] = 'attempts' then (
         select jsonb_agg(a.status) from otps o join attempts a on a.pin_id = o.id and a.type = 'otp_attempt' and a.resend = o.resends
         where o.id = (to_jsonb(new)->>'pin_id')::uuid and o.resends = (to_jsonb(new)->>'resend')::int and o.lease_until is null
           and o.status in ('sent', 'expired') and not exists (select from follow_ups f where f.send_id = o.id)) end);
       return null;
     end $$`,
  );
  // Fired when the statement is over, in its transaction.
  for (const table of ['messages', 'attempts', 'otps'])
    await sql(
      `create trigger note_change after insert or update on ${table} for each row execute function note_change('${table}')`,
    );
}

/** Good: the provider has it; bad: it has not; neither: nobody knows yet. */
function classOf(status: string | undefined): 'sent' | 'failed' | null {
  if (status === 'sent' || status === 'delivered' || status === 'read') return 'sent';
  return status === 'failed' || status === 'expired' ? 'failed' : null;
}

/** An event that a change implies: what it is about, by uuid, and its name. */
type Implied = readonly [subject: string, event: string];

/** The event of a guess, by the type of its entry in the log. */
const VERDICTS: Readonly<Record<string, string>> = {
  otp_verified: 'otp.verified',
  otp_incorrect: 'otp.failed',
  otp_blocked: 'otp.failed',
  otp_expired: 'otp.expired',
};

function impliedBy({ kind, old, new: row, attempts }: Change): Implied[] {
  const turned = classOf(row.status) === classOf(old?.status) ? null : classOf(row.status);
  if (kind === 'attempts') {
    const verdict = VERDICTS[row.type ?? ''];
    if (verdict) return row.pin_id && !old ? [[row.pin_id, verdict]] : [];
    const isLost = turned === 'failed' && classOf(old?.status) === 'sent';
    const isUndelivered = isLost && attempts?.every(status => classOf(status) === 'failed');
    return [
      ...(turned && row.channel === 'sms' ? [[row.id, `sms.${turned}`] as const] : []),
      ...(isUndelivered && row.pin_id ? [[row.pin_id, 'otp.failed'] as const] : []),
    ];
  }
  const isOver = row.lease_until === null;
  const ends = isOver && old !== null && old.lease_until !== null;
  if (kind === 'otps') return impliedByOtp(row, old, ends, attempts ?? []);
  if (row.area !== 'unified' || !isOver) return [];
  const outcome = ends ? classOf(row.status) : turned;
  return [
    ...(outcome ? [[row.id, `message.${outcome}`] as const] : []),
    ...(ends ? [[row.id, 'message.routed'] as const] : []),
  ];
}

/** The same of all changes. An OTP whose attempts are lost at once has failed once. */
function impliedByAll(changes: readonly Change[]): Implied[] {
  const lost = new Set<string>();
  return changes.flatMap(change =>
    impliedBy(change).filter(([subject, event]) => {
      if (change.kind !== 'attempts' || event !== 'otp.failed' || !change.old) return true;
      const key = `${change.tx} ${subject}`;
      return !lost.has(key) && lost.add(key);
    }),
  );
}

function impliedByOtp(row: Row, old: Row | null, ends: boolean, attempts: readonly string[]): Implied[] {
  if (ends) {
    if (attempts.some(status => classOf(status) === 'sent'))
      return row.area === 'unified' ? [[row.id, 'otp.sent']] : [];
    return attempts.every(status => classOf(status) === 'failed') ? [[row.id, 'otp.failed']] : [];
  }
  const isProven = old !== null && row.lease_until === null && old.channel === null && row.channel !== null;
  return isProven && row.area === 'unified' && row.status !== 'failed' ? [[row.id, 'otp.sent']] : [];
}

/** An event as it is stored, with the endpoints that it is for: those that have a delivery, and those that subscribe. */
interface Told {
  readonly event: string;
  readonly data: string;
  readonly delivered: readonly string[];
  readonly subscribed: readonly string[];
}

/** One look, so that what goes on meanwhile is in all of it or in nothing. */
const LOOK = `select
  (select coalesce(json_agg(json_build_object('kind', kind, 'old', old, 'new', new, 'attempts', attempts, 'tx', tx) order by seq), '[]')
   from changes where account_id = $1) as changes,
  (select coalesce(json_agg(json_build_object('event', e.event, 'data', e.data,
     'delivered', array(select d.endpoint_id || ' ' || d.event from webhook_deliveries d
       where d.event_id = e.id and d.account_id = e.account_id order by 1),
     'subscribed', array(select p.id || ' ' || e.event from webhook_endpoints p
       where p.account_id = e.account_id and e.event = any(p.events) order by 1)) order by e.created_at), '[]')
   from webhook_events e where e.account_id = $1) as events,
  (select count(*)::int from webhook_deliveries d where d.account_id = $1
     and not exists (select from webhook_events e where e.id = d.event_id)) as orphans`;

/** The comparison of an account's events with its changes. */
export interface Audit {
  /** A sentence for each difference between events and changes; empty: there is none. */
  readonly faults: readonly string[];
  /** How many events there are. */
  readonly events: number;
}

/** Compares the events of an account with its changes. One endpoint of it must subscribe to every event. */
export async function auditEvents(sql: RunSql, accountId: string): Promise<Audit> {
  interface Look {
    readonly changes: readonly Change[];
    readonly events: readonly Told[];
    readonly orphans: number;
  }
  const [look] = await sql<Look>(LOOK, [toUuid(accountId)]);
  if (!look) throw new Error('nothing was seen');
  const { changes, events, orphans } = look;
  const implied = Map.groupBy(impliedByAll(changes), ([subject]) => subject);
  const told = Map.groupBy(events, subjectOf);
  const faults = orphans > 0 ? [`${orphans} deliveries are of no event`] : [];
  for (const subject of new Set([...implied.keys(), ...told.keys()])) {
    const wanted = (implied.get(subject) ?? []).map(([, event]) => event).join(', ');
    const found = (told.get(subject) ?? []).map(({ event }) => event).join(', ');
    if (wanted !== found) faults.push(`${subject} changed so that [${wanted}] is to be told, and [${found}] is`);
  }
  for (const { event, delivered, subscribed } of events)
    if (delivered.join() !== subscribed.join())
      faults.push(`${event} is for [${subscribed}] and has deliveries to [${delivered}]`);
  return { faults, events: events.length };
}

/** The subject of an event, by uuid. */
function subjectOf({ event, data }: Told): string {
  const { messageId, attemptId, pinId } = JSON.parse(data) as Record<string, string | null>;
  const id = event.startsWith('message.') ? messageId : event.startsWith('sms.') ? attemptId : pinId;
  return id ? toUuid(id) : `nothing: ${data}`;
}
