/** Gateways that are killed at a chosen point of a send, and what it did to the money. */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { toUuid } from '../../../src/kernel/ids.ts';
import { type FaultMode, type FaultWire, openFaultWire } from '../databases/cutting-proxy.ts';
import { newRecipient, type RunSql } from '../otp/pins.ts';
import { type Gateway, startGateway, TEXT, until } from '../processes/gateway.ts';
import { REPOSITORY } from '../repository.ts';
import { auditMoney, type MoneyAudit } from './money-audit.ts';

/** A point at which a process is killed: before or after a statement, by what stands in its text. */
export interface KillPoint {
  readonly title: string;
  readonly statement: RegExp;
  readonly mode: FaultMode;
  /** Whether it is the commit of a transaction with such a statement. */
  readonly isCommit?: boolean;
  /** How many such statements a gateway is sure to come to, where they are few. */
  readonly first?: number;
  /** Whether a receipt has to tell that what was given up had been accepted. */
  readonly charges?: boolean;
}

/** The longest that a hold of a dead process may be open (contract §4). */
export const HOLD_MAX_SECONDS = 35;

/** A worker that has not come to its point by then will not. */
const LIVES_MS = 10_000;

/** How long it may take until all is over: a receipt that comes before the recovery is tried again after a while. */
const OVER_MS = 150_000;

const preload = pathToFileURL(join(REPOSITORY, 'test/support/processes/slow-sandbox.ts')).href;

/** Starts one of these gateways: with one secret key for all, since they make codes, and a sandbox that takes its time. @throws Error where the sandbox takes none */
export async function startSlowGateway(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const gateway = await startGateway({
    databaseUrl,
    env: {
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      NODE_OPTIONS: `--import=${preload}`,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      ...env,
    },
  });
  if (!gateway.stdout().includes('slow')) throw new Error('the sandbox is as fast as ever');
  return gateway;
}

/** A gateway that can be killed at a point. */
export interface Victim {
  readonly gateway: Gateway;
  readonly wire: FaultWire;
  /** Waits until it has died, or has lived through what there was. */
  untilStruck(): Promise<void>;
  /** Kills it, if it still lives, and waits until nothing of it will be committed any more. Answers whether it died at the point. */
  bury(): Promise<boolean>;
}

/** Starts a gateway at the far end of a wire, which is cut, and it is killed, when it comes to the point. */
export async function startVictim(databaseUrl: string, point: KillPoint, role: 'api' | 'worker'): Promise<Victim> {
  let gateway: Gateway | null = null;
  const struck = Promise.withResolvers<void>();
  const wire = await openFaultWire(databaseUrl, {
    counts: text => point.statement.test(text),
    commitsOnly: point.isCommit ?? false,
    onStrike: () => {
      gateway?.kill('SIGKILL');
      struck.resolve();
    },
  });
  const started = await startSlowGateway(wire.url, { ROLE: role });
  gateway = started;
  return {
    gateway: started,
    wire,
    async untilStruck() {
      await Promise.race([struck.promise, wait(LIVES_MS, undefined, { ref: false })]);
    },
    async bury() {
      const hasStruck = wire.hasStruck();
      started.kill('SIGKILL');
      await started.exited;
      await wire.settled();
      await wire.close();
      return hasStruck;
    },
  };
}

/** A send as its caller knows it. */
export interface Call {
  readonly path: '/api/sms/send' | '/api/omni/send' | '/api/sms/otp/send';
  readonly body: { readonly to: string; readonly reference?: string };
  readonly token: string;
  /** The message that the caller was told of; null: it was told nothing. */
  messageId: string | null;
}

/** The tokens of an account. */
export interface KillTokens {
  readonly sms: string;
  readonly unified: string;
  readonly otp: string;
}

let lastReference = 0;

/** Calls of all kinds: by SMS, by chat and then SMS, by both, and an OTP. */
export function newCalls({ sms, unified, otp }: KillTokens): Call[] {
  const message = (channels: readonly string[], deliveryMode = 'fallback') => ({
    to: `+${newRecipient()}`,
    text: TEXT,
    sender: 'ACME',
    reference: `kill-${++lastReference}`,
    ...(channels.length === 0 ? {} : { channels, deliveryMode, chatFrom: '15550000001' }),
  });
  return [
    { path: '/api/sms/send', body: message([]), token: sms, messageId: null },
    { path: '/api/sms/otp/send', body: { to: `+${newRecipient()}` }, token: otp, messageId: null },
    { path: '/api/omni/send', body: message(['sms', 'chat_qr'], 'all'), token: unified, messageId: null },
    { path: '/api/omni/send', body: message(['chat_qr', 'sms']), token: unified, messageId: null },
    { path: '/api/sms/send', body: message([]), token: sms, messageId: null },
  ];
}

/** Posts a call. Answers the status; null: nobody answered. */
export async function post({ url }: Pick<Gateway, 'url'>, call: Call): Promise<number | null> {
  try {
    const response = await fetch(`${url}${call.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${call.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(call.body),
    });
    const { data } = (await response.json()) as { data?: { messageId?: string } };
    call.messageId ??= data?.messageId ?? null;
    return response.status;
  } catch {
    return null;
  }
}

/** Posts calls one shortly after the other, so that each is at another point when the first comes to its end. */
export function postInTurn(gateway: Gateway, calls: readonly Call[], spreadMs: number) {
  return Promise.all(
    calls.map(async call => {
      await wait(Math.random() * spreadMs);
      return post(gateway, call);
    }),
  );
}

/** Waits until nothing is under way: no lease, and no receipt that a living worker is to record. */
export async function untilOver(sql: RunSql, diedWorkers: boolean): Promise<void> {
  // A dead worker's active jobs are tried again when the queue believes that it is dead, after a quarter of an hour.
  const states = diedWorkers ? ['created', 'retry'] : ['created', 'retry', 'active'];
  await until(
    'nothing is under way',
    async () => {
      const [row] = await sql<{ left: number }>(
        `select (select count(*) from messages where lease_until is not null)::int
           + (select count(*) from otps where lease_until is not null)::int
           + (select count(*) from pgboss.job where name = 'sandbox-receipts' and state::text = any($1::text[]))::int as left`,
        [states],
      );
      return row?.left === 0 ? true : null;
    },
    OVER_MS,
  );
}

/**
 * Looks at the money of an account after its processes were killed. To compare: what arrived on the phones of the sandbox, each
 * recipient being sent to once.
 */
export async function auditAfterKills(sql: RunSql, accountId: string): Promise<MoneyAudit> {
  const audit = await auditMoney(sql, accountId);
  const faults = [...audit.faults];
  if (audit.held !== 0) faults.push(`${audit.held} credits are held`);
  const rows = await sql<{ recipient: string; arrivals: number; paid: number; attempts: number }>(
    `select a.recipient, count(*)::int as attempts,
       (select count(*) from sandbox_messages s
        where s.account_id = $1 and s.recipient = a.recipient and s.channel = 'sms')::int as arrivals,
       count(l.id)::int as paid
     from attempts a left join ledger l on l.attempt_id = a.id and l.kind in ('capture', 'charge')
     where a.account_id = $1 and a.channel = 'sms' and a.type in ('message_attempt', 'otp_attempt') group by a.recipient`,
    [toUuid(accountId)],
  );
  for (const { recipient, arrivals, paid, attempts } of rows)
    if (arrivals !== paid || attempts !== 1)
      faults.push(`${recipient}: ${attempts} attempts, ${arrivals} SMS arrived, ${paid} are paid`);
  const [slow] = await sql<{ seconds: number | null }>(
    `select max(extract(epoch from finished_at - started_at))::float8 as seconds from attempts
     where account_id = $1 and channel = 'sms'`,
    [toUuid(accountId)],
  );
  if ((slow?.seconds ?? 0) > HOLD_MAX_SECONDS) faults.push(`a hold was open for ${slow?.seconds} s`);
  return { ...audit, faults };
}

/** Repeats calls with their references, and answers which of them were told of another message than is stored, or than before. */
export async function repeatCalls(sql: RunSql, gateway: Gateway, calls: readonly Call[]): Promise<string[]> {
  const faults: string[] = [];
  for (const call of calls) {
    const { reference } = call.body;
    if (reference === undefined) continue;
    const told = call.messageId;
    const status = await post(gateway, call);
    const rows = await sql<{ id: string }>('select id from messages where reference = $1', [reference]);
    const [stored] = rows;
    const isSame = call.messageId !== null && stored?.id === toUuid(call.messageId);
    if (
      (status !== 200 && status !== 502) ||
      rows.length !== 1 ||
      !isSame ||
      (told !== null && told !== call.messageId)
    )
      faults.push(
        `${reference}: told ${told}, then ${status} ${call.messageId}, and ${rows.length} messages are stored`,
      );
  }
  return faults;
}
