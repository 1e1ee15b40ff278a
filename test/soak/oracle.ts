/** Whether every promise was kept: compares what callers were told, what phones and the receiver got, and what is stored. */
import { Webhook } from 'standardwebhooks';
import { toUuid } from '../../src/kernel/ids.ts';
import { auditMoney } from '../support/billing/money-audit.ts';
import type { RunSql } from '../support/otp/pins.ts';
import type { Received } from '../support/webhooks/receiver.ts';
import type { Notes, Told } from './traffic.ts';

/** Has the database note what phones get: the sandbox keeps the newest texts alone. */
export async function noteArrivals(sql: RunSql): Promise<void> {
  await sql('create table arrivals (recipient text not null, channel text not null, text text not null)');
  await sql(
    `create function note_arrival() returns trigger language plpgsql as $$ begin
       insert into arrivals values (new.recipient, new.channel, new.text);
       return null;
     end $$`,
  );
  await sql(
    'create trigger note_arrival after insert on sandbox_messages for each row execute function note_arrival()',
  );
}

/** The work that is left, a sentence each. */
export async function findLeft(sql: RunSql): Promise<string[]> {
  const rows = await sql<{ kind: string; count: number }>(
    `select * from (
       select 'messages', count(*)::int from messages where status = 'pending' or lease_until is not null
       union all select 'passcodes', count(*)::int from otps where lease_until is not null
       union all select 'deliveries', count(*)::int from webhook_deliveries where status = 'pending'
       union all select 'receipts', count(*)::int from pgboss.job
         where name = 'sandbox-receipts' and state in ('created', 'retry', 'active')
     ) as left_over (kind, count) where count > 0`,
  );
  return rows.map(({ kind, count }) => `${count} ${kind} are still under way`);
}

/** The evidence of an oracle. */
export interface Evidence {
  readonly sql: RunSql;
  readonly accountId: string;
  readonly notes: Notes;
  readonly received: readonly Received[];
  /** Signs webhooks. */
  readonly secret: string;
  /** The receiver's complaints as they came: signatures and times can be checked only then. */
  readonly badSignatures: readonly string[];
}

/** Checks the signature of a delivery, and its time against this machine's clock. @returns the fault; null: none */
export function signatureFault(secret: string, { headers, body }: Received): string | null {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return null;
  } catch (error) {
    return `${headers['webhook-id']}: ${String(error)}`;
  }
}

/** Everything that was not kept, a sentence each. */
export async function findFaults(evidence: Evidence): Promise<string[]> {
  const { sql, accountId, notes } = evidence;
  return [
    ...notes.faults,
    ...evidence.badSignatures,
    ...(await findSendFaults({ sql, accountId, told: notes.told })),
    ...(await webhookFaults(evidence)),
    ...(await otpFaults(evidence)),
  ];
}

/** The answers to callers about their messages. */
export interface ToldSends extends Pick<Evidence, 'sql' | 'accountId'> {
  readonly told: readonly Pick<Told, 'reference' | 'messageId'>[];
}

/** The broken promises about messages and money, a sentence each. */
export async function findSendFaults(sends: ToldSends): Promise<string[]> {
  const audit = await auditMoney(sends.sql, sends.accountId);
  return [
    ...audit.faults,
    ...(audit.held === 0 ? [] : [`${audit.held} credits are held`]),
    ...(await messageFaults(sends)),
    ...(await arrivalFaults(sends.sql)),
  ];
}

/** Checks that no told message is lost. Another message stored under its reference was withdrawn: it failed before anything went out. */
async function messageFaults({ sql, told }: ToldSends): Promise<string[]> {
  const rows = await sql<{ reference: string; id: string; status: string }>(
    'select reference, id, status from messages',
  );
  const stored = Map.groupBy(rows, ({ reference }) => reference);
  return told.flatMap(({ reference, messageId }) => {
    const own = stored.get(reference) ?? [];
    const id = messageId === undefined ? own.at(-1)?.id : toUuid(messageId);
    if (!own.some(row => row.id === id)) return [`${reference}: ${messageId} was told, and is not stored`];
    const others = own.filter(row => row.id !== id && row.status !== 'failed');
    return others.map(row => `${reference}: stored twice, and the other one is ${row.status}`);
  });
}

/** Nothing arrives twice, and what is said to be sent has arrived. */
async function arrivalFaults(sql: RunSql): Promise<string[]> {
  const twice = await sql<{ text: string }>(
    'select recipient, text from arrivals group by recipient, channel, text having count(*) > 1',
  );
  const never = await sql<{ id: string }>(
    `select a.id from attempts a join messages m on m.id = a.message_id
     where a.status in ('sent', 'delivered', 'read')
       and not exists (select from arrivals r where r.text = m.text and r.channel = a.channel)`,
  );
  return [
    ...twice.map(({ text }) => `arrived twice: ${text}`),
    ...never.map(({ id }) => `said to be sent, and never arrived: attempt ${id}`),
  ];
}

/** Every event has arrived at least once, and every message that was told as sent has an event. */
async function webhookFaults({ sql, received, notes }: Evidence): Promise<string[]> {
  const events = await sql<{ id: string; event: string; send: string | null }>(
    'select id, event, send_id as send from webhook_events',
  );
  const arrived = new Set(received.map(({ body }) => toUuid((JSON.parse(body) as { readonly id: string }).id)));
  const told = new Set(events.filter(({ event }) => event === 'message.sent').map(({ send }) => send));
  return [
    ...events.filter(({ id }) => !arrived.has(id)).map(({ id, event }) => `${event} ${id} never arrived`),
    ...notes.told
      .filter(({ messageId, messageStatus }) => messageStatus === 'sent' && !told.has(toUuid(messageId ?? '')))
      .map(({ reference }) => `${reference}: told as sent, and there is no event`),
  ];
}

/** No code is taken twice, and none is sent twice. */
async function otpFaults({ sql, notes }: Evidence): Promise<string[]> {
  const rows = await sql<{ id: string; status: string }>('select id, status from otps');
  const statusOf = new Map(rows.map(({ id, status }) => [id, status]));
  const faults = notes.verified.flatMap(({ pinId, statuses }) => {
    const taken = statuses.filter(status => status === 200).length;
    if (taken > 1) return [`${pinId}: its code was taken ${taken} times`];
    if (taken === 1 && statusOf.get(toUuid(pinId)) !== 'verified') return [`${pinId}: taken, and not stored as such`];
    return taken === 0 && !statuses.some(status => status === 0 || status >= 409)
      ? [`${pinId}: its right code was answered ${statuses.join(', ')}`]
      : [];
  });
  const twice = await sql<{ recipient: string }>(
    `select recipient from arrivals where recipient in (select recipient from otps) group by recipient having count(*) > 1`,
  );
  return [...faults, ...twice.map(({ recipient }) => `${recipient} got two passcodes`)];
}
