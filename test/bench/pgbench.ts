/**
 * The baseline: the statements of a send, one send at a time, as a careful engineer would write them for one row (prepared,
 * plain parameters, the same columns and conditions as `accept.ts`, `keep-arrivals.ts` and `settle.ts`), run by pgbench.
 */
import { access, constants, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { uuidFloor } from '../../src/kernel/ids.ts';
import { runChild } from './children.ts';
import { type Figures, summarise } from './figures.ts';

const DEBIAN_ROOT = '/usr/lib/postgresql';

/** One of so many latencies is written down, so that writing costs nothing. */
const SAMPLING_RATE = 0.1;

/**
 * Ids as the gateway makes them: their time in front, so that they land at the end of an index. The time is that of the start of
 * the run; a count of each client stands for what passes after it.
 */
const IDS = `
\\set n :n + 1
\\set m 100000000000000000 + :n * 100000000000 + :client_id * 1000000000 + random(0, 999999999)
\\set a 100000000000000000 + :n * 100000000000 + :client_id * 1000000000 + random(0, 999999999)
\\set s 100000000000000000 + :n * 100000000000 + :client_id * 1000000000 + random(0, 999999999)
\\set phone random(12026000000, 12028999999)
`;
const [MESSAGE, ATTEMPT, ARRIVAL] = ['m', 'a', 's'].map(name => `(:prefix || :${name})::uuid`);

/** The batch *accept*, for one send. */
const ACCEPT = `
begin;
insert into idempotency_keys as k (account_id, area, reference, fingerprint, message_id, expires_at)
  values (:account::uuid, 'unified', :prefix || '-' || :m, :fingerprint, ${MESSAGE}, now() + interval '30 days')
  on conflict (account_id, area, reference) do update
    set fingerprint = excluded.fingerprint, message_id = excluded.message_id, answer = null, expires_at = excluded.expires_at
    where k.expires_at <= now()
  returning message_id;
insert into messages (id, account_id, area, recipient, text, channels, delivery_mode, chat_from, sender, cloud_template,
    reference, status, segments, created_at, lease_until)
  values (${MESSAGE}, :account::uuid, 'unified', :phone::text, :text, '{sms}', 'fallback', null, :sender, null,
    :prefix || '-' || :m, 'pending', 1, now(), clock_timestamp() + interval '30 seconds')
  returning lease_until::text as lease \\gset
insert into attempts (id, account_id, area, type, message_id, pin_id, channel, provider, recipient, sender, reference, status,
    segments, credits, started_at)
  values (${ATTEMPT}, :account::uuid, 'unified', 'message_attempt', ${MESSAGE}, null, 'sms', 'sandbox', :phone::text, :sender,
    :prefix || '-' || :m, 'pending', 1, 0, now());
commit;
`;

/** The batch *sandbox*, for one send: what the provider keeps, and the job that will report its status. */
const PROVIDER = `
begin;
insert into sandbox_messages (id, account_id, recipient, channel, sender, text, created_at)
  values (${ARRIVAL}, :account::uuid, :phone::text, 'sms', :sender, :text, now());
insert into pgboss.job (name, data, start_after, retry_limit, retry_delay, retry_backoff, expire_seconds, deletion_seconds, policy)
  values ('sandbox-receipts', :job::jsonb, now() + interval '1 second', 8, 1, true, 900, 3600, 'standard');
commit;
`;

/** Tells the log's listeners. PostgreSQL lets one such transaction commit at a time, flush included. */
const NOTIFY = `select pg_notify('heliograph_log', ${ATTEMPT}::text);
`;

/** The batch *settle*, for one send. */
const SETTLE = `
begin;
update messages m
  set status = case when m.status in ('pending', 'unknown') then 'sent' else m.status end,
      channel = coalesce(m.channel, 'sms'), lease_until = null
  where m.id = ${MESSAGE} and m.lease_until = :lease::timestamptz
  returning m.id;
update attempts a
  set status = 'sent', error_code = null, error_message = null, credits = 1,
      provider_message_id = 'sbx_' || :prefix || :s, finished_at = now()
  where a.id = ${ATTEMPT} and a.status in ('pending', 'unknown');
update idempotency_keys k set answer = :answer::jsonb
  where k.account_id = :account::uuid and k.area = 'unified' and k.reference = :prefix || '-' || :m and k.message_id = ${MESSAGE};
${NOTIFY}commit;
`;

const WITHOUT_NOTIFY = SETTLE.replace(NOTIFY, '');
const BASELINES = {
  'same-sql': [ACCEPT, PROVIDER, SETTLE],
  'without-notify': [ACCEPT, PROVIDER, WITHOUT_NOTIFY],
  'without-provider': [ACCEPT, WITHOUT_NOTIFY],
} as const;

/** What pgbench runs: all that a send of the gateway commits, or less. */
export type BaselineKind = keyof typeof BASELINES;

/** How to run it. */
export interface BaselinePlan {
  readonly kind: BaselineKind;
  readonly databaseUrl: string;
  readonly clients: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly text: string;
}

/** Runs the baseline on a migrated database with a queue; `answered` counts the whole run, warm-up included. */
export async function runBaseline(plan: BaselinePlan): Promise<Figures & { readonly answered: number }> {
  const pgbench = await findPgbench();
  const folder = await mkdtemp(join(tmpdir(), 'heliograph-bench-'));
  try {
    const script = join(folder, 'send.sql');
    await writeFile(script, IDS + BASELINES[plan.kind].join(''));
    const warmUp = await runOnce(pgbench, plan, script, plan.warmUpSeconds, []);
    const log = ['--log', `--log-prefix=${join(folder, 'log')}`, `--sampling-rate=${SAMPLING_RATE}`];
    const measured = await runOnce(pgbench, plan, script, plan.seconds, log);
    const { p50Ms, p99Ms } = summarise(await readLatencies(folder), plan.seconds);
    return { sendsPerSecond: measured / plan.seconds, p50Ms, p99Ms, answered: warmUp + measured };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Answers how many sends it made. */
async function runOnce(
  pgbench: string,
  plan: BaselinePlan,
  script: string,
  seconds: number,
  more: readonly string[],
): Promise<number> {
  const attempt = { id: `att_${'0'.repeat(32)}`, channel: 'sms', provider: 'sandbox', sender: 'BENCH', status: 'sent' };
  const rest = { errorCode: null, errorMessage: null, segments: 1, credits: 1 };
  const [createdAt, startedAt, finishedAt] = Array.from({ length: 3 }, () => new Date().toISOString());
  const receipt = { provider: 'sandbox', providerMessageId: `sbx_${'0'.repeat(32)}`, status: 'delivered' };
  const variables: Record<string, string> = {
    n: '0',
    prefix: `${uuidFloor(new Date()).replaceAll('-', '').slice(0, 12)}70`,
    account: '00000000-0000-7000-8000-000000000000',
    fingerprint: '0'.repeat(64),
    text: plan.text,
    sender: 'BENCH',
    answer: JSON.stringify({
      status: 'sent',
      channel: 'sms',
      createdAt,
      attempts: [{ ...attempt, ...rest, startedAt, finishedAt }],
    }),
    job: JSON.stringify({ receipts: [{ ...receipt, errorCode: null, errorMessage: null }] }),
  };
  const report = await runChild(pgbench, [
    '--no-vacuum',
    '--protocol=prepared',
    `--client=${plan.clients}`,
    '--jobs=2',
    `--time=${seconds}`,
    `--file=${script}`,
    ...more,
    ...Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`),
    plan.databaseUrl,
  ]);
  const count = /transactions actually processed: (\d+)/.exec(report)?.[1];
  if (count === undefined) throw new Error(`pgbench reported no count:\n${report}`);
  return Number(count);
}

/** The sampled latencies. The third field of a line is in microseconds. */
async function readLatencies(folder: string): Promise<number[]> {
  const files = (await readdir(folder)).filter(file => file.startsWith('log'));
  const texts = await Promise.all(files.map(file => readFile(join(folder, file), 'utf8')));
  return texts.flatMap(text => text.trimEnd().split('\n')).map(line => Number(line.split(' ')[2]) / 1_000);
}

async function findPgbench(): Promise<string> {
  const versions = await readdir(DEBIAN_ROOT).catch((): string[] => []);
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a)).map(version => join(DEBIAN_ROOT, version, 'bin'));
  for (const folder of [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...newestFirst]) {
    const path = join(folder, 'pgbench');
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error('pgbench was not found on PATH or under /usr/lib/postgresql; it comes with PostgreSQL');
}
