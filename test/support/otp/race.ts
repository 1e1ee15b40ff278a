/** Races of OTPs over real processes: the calls, what is read afterwards, and verifies and sends that are broken on purpose. */
import pg from 'pg';
import { toUuid } from '../../../src/kernel/ids.ts';
import { runSql } from '../databases/postgres.ts';
import type { Gateway } from '../processes/gateway.ts';

/** The areas that have OTPs, each with its REST paths. */
export const OTP_PATHS = { unified: '/api/omni/otp', otp: '/api/sms/otp' } as const;

/** An area that has OTPs. */
export type OtpArea = keyof typeof OTP_PATHS;

/** The answer to a caller, whatever the transport: a code of the contract, or the status of the OTP. */
export interface OtpAnswer {
  readonly code: string;
  readonly attemptsRemaining?: number;
  readonly retryAfter?: number;
  /** The pin of a send. */
  readonly pinId?: string;
}

/** The HTTP status of each code over REST. */
const STATUSES: Readonly<Record<string, number>> = {
  otp_incorrect: 400,
  otp_not_found: 404,
  otp_already_verified: 409,
  otp_expired: 410,
  otp_blocked: 423,
  rate_limited: 429,
  otp_cooldown: 429,
  database_unavailable: 503,
};

interface RestBody {
  readonly code?: string;
  readonly retryAfter?: number;
  readonly data?: { readonly status?: string; readonly pinId?: string; readonly attemptsRemaining?: number };
}

/** Calls a path of OTPs over REST. @throws Error where status, headers and code do not go together */
export async function callRest(
  gateway: Pick<Gateway, 'url'>,
  token: string,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<OtpAnswer> {
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  const { code, retryAfter, data = {} } = (await response.json()) as RestBody;
  const answer = pick({ code: code ?? data.status ?? 'none', retryAfter, ...data });
  const isRight = response.status === (STATUSES[answer.code] ?? 200);
  const waits = response.headers.get('retry-after');
  if (!isRight || (waits === null ? undefined : Number(waits)) !== retryAfter)
    throw new Error(`status ${response.status}, Retry-After ${waits}: ${JSON.stringify({ code, retryAfter })}`);
  return answer;
}

interface GraphqlBody {
  readonly data?: Record<string, { readonly status: string; readonly pinId: string }> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Omit<OtpAnswer, 'pinId'> }[];
}

/** Calls `sendOtp`, `resendOtp` or `verifyOtp` over GraphQL. */
export async function callGraphql(
  gateway: Pick<Gateway, 'url'>,
  token: string,
  field: 'sendOtp' | 'resendOtp' | 'verifyOtp',
  input: object,
  signal?: AbortSignal,
): Promise<OtpAnswer> {
  const type = `${field[0]?.toUpperCase()}${field.slice(1)}Input`;
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      query: `mutation ($input: ${type}!) { ${field}(input: $input) { pinId status } }`,
      variables: { input },
    }),
    ...(signal ? { signal } : {}),
  });
  const { data, errors } = (await response.json()) as GraphqlBody;
  const [error] = errors ?? [];
  if (error) return pick({ ...error.extensions, code: error.extensions.code?.toLowerCase() ?? error.message });
  const otp = data?.[field];
  return pick({ code: otp?.status.toLowerCase() ?? 'none', pinId: otp?.pinId });
}

function pick({
  code,
  attemptsRemaining,
  retryAfter,
  pinId,
}: { [Member in keyof OtpAnswer]?: OtpAnswer[Member] | undefined }): OtpAnswer {
  return {
    code: code ?? 'none',
    ...(attemptsRemaining === undefined ? {} : { attemptsRemaining }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(pinId === undefined ? {} : { pinId }),
  };
}

/** The tables that tell how a race of guesses ended. */
export interface GuessTables {
  readonly pins: string;
  readonly log: string;
}

/** The outcome of a race of guesses: the answers to the callers, and the stored state. */
export interface GuessOutcome {
  readonly told: Readonly<Record<string, number>>;
  /** The attempts that wrong guesses were told are left, the highest first. */
  readonly remaining: readonly number[];
  readonly attempts: number;
  readonly status: string;
  readonly log: Readonly<Record<string, number>>;
}

/** Sums up a race of guesses at one pin. */
export async function guessOutcome(
  url: string,
  pinId: string,
  answers: readonly OtpAnswer[],
  { pins, log }: GuessTables = { pins: 'otps', log: 'attempts' },
): Promise<GuessOutcome> {
  const id = `'${toUuid(pinId)}'`;
  const [row] = await runSql(
    url,
    `select status, attempts, (select coalesce(jsonb_object_agg(type, n), '{}') from (
       select type, count(*)::int as n from ${log} where pin_id = ${id} and type <> 'otp_attempt' group by type) l) as log
     from ${pins} where id = ${id}`,
  );
  return {
    told: tallyCodes(answers),
    remaining: answers.flatMap(({ attemptsRemaining }) => attemptsRemaining ?? []).sort((a, b) => b - a),
    attempts: Number(row?.attempts),
    status: String(row?.status),
    log: row?.log as Record<string, number>,
  };
}

/** How many answers have each code. */
export function tallyCodes(answers: readonly OtpAnswer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { code } of answers) counts[code] = (counts[code] ?? 0) + 1;
  return counts;
}

/** A verify or a send that was broken on purpose, with the pools of as many processes as the real ones have. */
export interface BrokenOtps {
  readonly tables: GuessTables;
  /** Reads the row, compares, and writes then; inside a transaction where it is told to (READ COMMITTED). */
  guess(index: number, isRight: boolean, inTransaction: boolean): Promise<OtpAnswer>;
  /** Looks whether the recipient was sent to a moment ago, and sends then. */
  send(index: number, inTransaction: boolean): Promise<OtpAnswer>;
  /** How many of its sends went out. */
  arrivals(): Promise<number>;
  close(): Promise<void>;
}

/** Connections of each of the three pools. */
const POOL_SIZE = 10;

/**
 * Copies a pin into tables of its own and opens broken implementations on them, over 3 × 10 connections. The first of each
 * connection have all read before any of them writes: what happens by chance under load, happens every time.
 */
export async function openBroken(url: string, pinId: string): Promise<BrokenOtps> {
  const id = toUuid(pinId);
  await runSql(
    url,
    `drop table if exists naive_otps, naive_log, naive_sends;
     create table naive_otps as select * from otps where id = '${id}';
     create table naive_log (pin_id uuid not null, type text not null);
     create table naive_sends (at timestamptz not null)`,
  );
  const pools = [0, 1, 2].map(() => new pg.Pool({ connectionString: url, max: POOL_SIZE }));
  const allRead = Promise.withResolvers<void>();
  let readers = 0;
  const hasRead = (): Promise<void> => {
    readers += 1;
    if (readers === pools.length * POOL_SIZE) allRead.resolve();
    return allRead.promise;
  };
  const run = async <Result>(
    index: number,
    inTransaction: boolean,
    work: (client: pg.PoolClient) => Promise<Result>,
  ) => {
    const client = await (pools[index % pools.length] as pg.Pool).connect();
    try {
      if (inTransaction) await client.query('begin');
      const result = await work(client);
      if (inTransaction) await client.query('commit');
      return result;
    } finally {
      client.release();
    }
  };
  return {
    tables: { pins: 'naive_otps', log: 'naive_log' },
    guess: (index, isRight, inTransaction) =>
      run(index, inTransaction, async client => {
        const { rows } = await client.query<{ attempts: number; status: string }>(
          'select attempts, status from naive_otps',
        );
        await hasRead();
        const [{ attempts, status } = { attempts: 0, status: '' }] = rows;
        const answer = judge(attempts, status, isRight);
        const type = answer.code === 'verified' ? 'otp_verified' : answer.code;
        await client.query('insert into naive_log (pin_id, type) values ($1, $2)', [id, type]);
        if (type === 'otp_incorrect' || type === 'otp_verified') {
          const next = inTransaction ? 'attempts + 1' : String(attempts + 1);
          const ended = isRight ? `'verified'` : `case when ${next} >= 5 then 'blocked' else status end`;
          await client.query(`update naive_otps set attempts = ${next}, status = ${ended}`);
        }
        return answer;
      }),
    send: (index, inTransaction) =>
      run(index, inTransaction, async client => {
        const { rows } = await client.query("select 1 from naive_sends where at > now() - interval '60 seconds'");
        await hasRead();
        if (rows.length > 0) return { code: 'otp_cooldown', retryAfter: 60 };
        await client.query('insert into naive_sends (at) values (now())');
        return { code: 'sent' };
      }),
    async arrivals() {
      const [row] = await runSql(url, 'select count(*)::int as n from naive_sends');
      return Number(row?.n);
    },
    async close() {
      await Promise.all(pools.map(pool => pool.end()));
    },
  };
}

function judge(attempts: number, status: string, isRight: boolean): OtpAnswer {
  if (status === 'verified') return { code: 'otp_already_verified' };
  if (status === 'blocked') return { code: 'otp_blocked' };
  return isRight ? { code: 'verified' } : { code: 'otp_incorrect', attemptsRemaining: 4 - attempts };
}

/** Hears of the log's new entries as soon as they are committed. */
export interface LogEar {
  /** Resolves at the next entry. */
  next(): Promise<void>;
  close(): Promise<void>;
}

/** Listens to the log of a database, as a gateway does. */
export async function listenToLog(url: string): Promise<LogEar> {
  const client = new pg.Client({ connectionString: url, application_name: 'heliograph-tests' });
  await client.connect();
  let heard = Promise.withResolvers<void>();
  client.on('notification', () => {
    heard.resolve();
    heard = Promise.withResolvers();
  });
  await client.query('listen heliograph_log');
  return { next: () => heard.promise, close: () => client.end() };
}
