import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../../support/databases/cluster.ts';
import { migrateDatabase } from '../../support/databases/migrated.ts';
import { databaseUrl, runSql } from '../../support/databases/postgres.ts';
import {
  ask,
  type Demo,
  type Gateway,
  operatorTokenOf,
  seedDemo,
  send,
  startGateway,
  TEXT,
  until,
} from '../../support/processes/gateway.ts';

/** The longest that a request may take which waits for nobody but the database. */
const DEADLINE_MS = 10_000;

/** The longest that an answer of `/readyz` may take. */
const READY_MS = 2_000;

/** The machine of the tests is shared. */
const SLACK_MS = 5_000;

/** Longer than the lease of a send, so that recovery would take what is left. */
const FROZEN_MS = 20_000;

/** The bound for an accepted send to reach a definite state (contract §4). */
const DEFINITE_MS = 35_000;

/** The held credits, and the fault of the ledger. */
const BOOKS = `
  select (select sum(held)::int from accounts) as held,
    (select coalesce(-sum(credits), 0)::int from ledger where kind <> 'adjustment')
      - (select coalesce(sum(credits), 0)::int from attempts where channel = 'sms' and status in ('sent', 'delivered', 'read')) as wrong`;

/** Each text has a number of its own. */
const SENT_TWICE = `select text from arrivals where text like '% %-%' group by 1 having count(*) > 1`;

const cluster = process.platform === 'linux' ? await startCluster({ own: true }) : null;
if (cluster === null) {
  process.stderr.write('database-hangs.test.ts: left out, for it needs a PostgreSQL of its own, on Linux\n');
}

interface Answer {
  readonly what: string;
  readonly reference: string;
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

describe.skipIf(cluster === null)('a database that hangs and goes on', () => {
  let url: string;
  let gateway: Gateway;
  /** Its recovery knows nothing of what the other one told its callers. */
  let worker: Gateway;
  let demo: Demo;
  let postgres: Cluster;
  /** Tokens that no request has shown yet. */
  let freshTokens: string[];
  let sendsUnderWay: Answer[];
  let whileFrozen: Answer[];
  let readiness: Answer[];
  let frozenAt: string;
  /** The state when all is over. */
  let found: {
    readonly accepted: unknown[];
    readonly otps: number;
    readonly sentLater: unknown[];
    readonly books: unknown;
    readonly later: Answer[];
    readonly again: Answer[];
    readonly sentTwice: unknown[];
    readonly quiet: { readonly statuses: readonly number[]; readonly left: unknown };
  };

  beforeAll(async () => {
    if (cluster === null) return;
    postgres = cluster;
    await runSql(postgres.url, 'create database hangs');
    url = databaseUrl(postgres.url, 'hangs');
    await migrateDatabase(url);
    await noteArrivals();
    gateway = await startGateway({ databaseUrl: url });
    worker = await startGateway({ databaseUrl: url, env: { ROLE: 'worker' } });
    demo = await seedDemo(gateway);
    const uuid = demo.accountId.replace('acc_', '');
    await runSql(
      url,
      `insert into ledger (account_id, id, kind, credits, held, reason, created_at)
       values ('${uuid}', gen_random_uuid(), 'adjustment', 1000000, 0, 'test', now())`,
    );
    freshTokens = await Promise.all(Array.from({ length: 6 }, makeToken));
    await freezeUnderLoad();
    found = await lookAfterwards();
  }, 240_000);

  afterAll(async () => {
    try {
      for (const each of [gateway, worker]) each.kill('SIGTERM');
      await Promise.all([gateway.exited, worker.exited]);
    } finally {
      await postgres.thaw();
      await postgres.stop();
    }
  });

  /** The sandbox keeps the newest 1,000 only, and not when they came. */
  async function noteArrivals(): Promise<void> {
    await runSql(url, 'create table arrivals (text text not null, channel text not null, at timestamptz not null)');
    await runSql(
      url,
      `create function note_arrival() returns trigger language plpgsql as $$ begin
         insert into arrivals values (new.text, new.channel, clock_timestamp());
         return null;
       end $$`,
    );
    await runSql(
      url,
      'create trigger note_arrival after insert on sandbox_messages for each row execute function note_arrival()',
    );
  }

  async function makeToken(): Promise<string> {
    const { createToken } = await ask<{ createToken: { secret: string } }>(
      gateway,
      await operatorTokenOf(gateway),
      'mutation ($id: String!) { createToken(input: { accountId: $id, area: UNIFIED }) { secret } }',
      { id: demo.accountId },
    );
    return createToken.secret;
  }

  async function timed(what: string, reference: string, answering: Promise<Response>): Promise<Answer> {
    const startedMs = performance.now();
    const response = await answering;
    const body = (await response.json()) as {
      code?: string;
      errors?: { extensions: { code: string; retryAfter?: number } }[];
    };
    const error = body.errors?.[0]?.extensions;
    return {
      what,
      reference,
      status: response.status,
      code: error?.code?.toLowerCase() ?? body.code,
      retryAfter: error?.retryAfter?.toString() ?? response.headers.get('retry-after'),
      tookMs: performance.now() - startedMs,
    };
  }

  function post(path: string, token: string, body: object): Promise<Response> {
    return fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** Half of them go by SMS alone, a quarter by chat and then by SMS, since the phone refuses chat. */
  const sendBody = (reference: string): object => ({
    to: reference.endsWith('2') || reference.endsWith('6') ? '+12025550102' : '+12025550100',
    text: `${TEXT} ${reference}`,
    channels: /[13579]$/.test(reference) ? ['sms'] : ['chat_qr', 'sms'],
    sender: 'DEMO',
    chatFrom: '15550000001',
    reference,
  });

  function sendNow(reference: string, token = demo.tokens.unified): Promise<Answer> {
    return timed('a send', reference, post('/api/omni/send', token, sendBody(reference)));
  }

  /** Everything there is, by tokens that are known and by tokens that must be looked up. */
  function askForEverything(round: number): Promise<Answer>[] {
    const { unified, otp } = demo.tokens;
    const graphql = (what: string, query: string, token: string): Promise<Answer> =>
      timed(what, '', post('/graphql', token, { query }));
    const get = (path: string, token: string): Promise<Answer> =>
      timed(path, '', fetch(`${gateway.url}${path}`, { headers: { authorization: `Bearer ${token}` } }));
    const to = `+1415555${2000 + round}`;
    return [
      sendNow(`frozen-${round}`),
      sendNow(`fresh-${round}`, freshTokens[round] ?? ''),
      timed('an OTP', '', post('/api/omni/otp/send', unified, { to, channels: ['sms'], sender: 'DEMO' })),
      timed('an SMS OTP', '', post('/api/sms/otp/send', otp, { to })),
      timed('a verify', '', post('/api/sms/otp/verify', otp, { pinId: `pin_${'0'.repeat(32)}`, pin: '123456' })),
      get('/api/omni/logs', unified),
      get('/api/sms/otp/logs', otp),
      timed('a plant', '', post('/plants', unified, { id: round + 1, name: 'fern' })),
      graphql('a query', '{ messages { nodes { status } } }', unified),
      graphql('a query by a fresh token', '{ balance { credits } }', freshTokens[round + 3] ?? ''),
      graphql(
        'a GraphQL send',
        `mutation { sendMessage(input: { to: "+12025550100", text: "${TEXT} graphql-${round}", channels: [SMS], sender: "DEMO", reference: "graphql-${round}" }) { status } }`,
        unified,
      ),
      graphql(
        'a GraphQL OTP',
        `mutation { sendOtp(input: { to: "+1415555${3000 + round}", channels: [SMS], sender: "DEMO" }) { status } }`,
        unified,
      ),
    ];
  }

  /** Sends go on and on; in the midst of them the server is stopped, and everything is asked for while it is. */
  async function freezeUnderLoad(): Promise<void> {
    const answers: Answer[] = [];
    let isOver = false;
    let count = 0;
    const sendOnAndOn = async (): Promise<void> => {
      while (!isOver) answers.push(await sendNow(`under-way-${count++}`));
    };
    const senders = Array.from({ length: 24 }, sendOnAndOn);
    await until('sends are answered', async () => {
      await fetch(`${gateway.url}/healthz`);
      return answers.length > 200 ? true : null;
    });
    const [now] = await runSql(url, 'select clock_timestamp()::text as at');
    frozenAt = String(now?.at);
    await postgres.freeze();
    const beganMs = performance.now();
    isOver = true;
    const asked: Promise<Answer>[] = [];
    const ready: Promise<Answer>[] = [];
    for (let round = 0; round < 3; round++) {
      asked.push(...askForEverything(round));
      ready.push(timed('/readyz', '', fetch(`${gateway.url}/readyz`)));
      await wait(2_000);
    }
    await Promise.all(senders);
    whileFrozen = await Promise.all(asked);
    readiness = await Promise.all(ready);
    sendsUnderWay = answers;
    await wait(Math.max(0, FROZEN_MS - (performance.now() - beganMs)));
    await postgres.thaw();
  }

  test('every request is answered within its deadline: 503, with the time to wait', () => {
    const kinds = new Set(
      whileFrozen.map(({ what, status, code, retryAfter }) => `${what}: ${status} ${code} ${retryAfter}`),
    );
    const wrong = [...kinds].filter(kind => !/: (503|200) database_unavailable [1-9]\d*$/.test(kind));
    expect(wrong.filter(kind => !/^a plant: 503/.test(kind))).toEqual([]);
    expect(whileFrozen.filter(({ tookMs }) => tookMs > DEADLINE_MS + SLACK_MS)).toEqual([]);
  });

  test('the sends under way are answered too', () => {
    const kinds = new Set(sendsUnderWay.map(({ status, code }) => `${status} ${code}`));
    expect([...kinds].filter(kind => kind !== '200 undefined' && kind !== '503 database_unavailable')).toEqual([]);
    expect(sendsUnderWay.filter(({ tookMs }) => tookMs > DEADLINE_MS + SLACK_MS)).toEqual([]);
  });

  test('/readyz answers 503 within two seconds', () => {
    expect(readiness.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect(readiness.filter(({ tookMs }) => tookMs > READY_MS + SLACK_MS)).toEqual([]);
  });

  /** Tests come in any order: everything is looked at once, and then the refused requests are made again. */
  async function lookAfterwards(): Promise<typeof found> {
    await until('/readyz answers 200', async () =>
      (await fetch(`${gateway.url}/readyz`)).status === 200 ? true : null,
    );
    await until('a send is accepted', async () =>
      (await send(gateway, demo.tokens.unified)).status === 200 ? true : null,
    );
    const later = await Promise.all(Array.from({ length: 40 }, (_, index) => sendNow(`later-${index}`)));
    await until('nothing is pending', async () => ((await countPending()) === 0 ? true : null), DEFINITE_MS);
    const accepted = await runSql(url, `select reference from messages where reference ~ '^(frozen|fresh|graphql)-'`);
    const [otps] = await runSql(url, `select count(*)::int as n from otps where created_at > '${frozenAt}'`);
    const texts = refused().map(reference => `'${TEXT} ${reference}'`);
    const sentLater = await runSql(
      url,
      `select text, at - '${frozenAt}'::timestamptz as late from arrivals
       where text in (${texts.join(', ')}) and at > '${frozenAt}'::timestamptz + interval '1 second'`,
    );
    const [books] = await runSql(url, BOOKS);
    const again = await Promise.all(refused().map(reference => sendNow(reference)));
    const sentTwice = await runSql(url, SENT_TWICE);
    const quiet = await freezeInQuiet();
    return { accepted, otps: Number(otps?.n), sentLater, books, later, again, sentTwice, quiet };
  }

  /** With nothing before them, a send and a passcode reach the server that is stopped, which comes to them when it goes on. */
  async function freezeInQuiet(): Promise<typeof found.quiet> {
    const { unified, otp } = demo.tokens;
    const sendOtp = (to: string): Promise<Response> => post('/api/sms/otp/send', otp, { to });
    expect([(await send(gateway, unified)).status, (await sendOtp('+14155554001')).status]).toEqual([200, 200]);
    await postgres.freeze();
    const answers = await Promise.all([sendNow('quiet-1'), sendOtp('+14155554002')]);
    await postgres.thaw();
    await until('a send is accepted', async () => ((await send(gateway, unified)).status === 200 ? true : null));
    await until('the server has done what lay before it', async () => {
      const [row] = await runSql(
        url,
        `select count(*)::int as n from pg_stat_activity where datname = 'hangs' and state = 'active' and pid <> pg_backend_pid()`,
      );
      return row?.n === 0 ? true : null;
    });
    const [left] = await runSql(
      url,
      `select (select count(*)::int from messages where reference = 'quiet-1') as messages,
         (select count(*)::int from otps where recipient = '14155554002') as otps`,
    );
    return { statuses: answers.map(({ status }) => status), left };
  }

  async function countPending(): Promise<number> {
    const [row] = await runSql(
      url,
      `select (select count(*) from messages where status = 'pending' or lease_until is not null)
         + (select count(*) from otps where status = 'pending' and id <> '00000000-0000-0000-0000-000000000000')
         + (select count(*) from attempts where status = 'pending') as n`,
    );
    return Number(row?.n);
  }

  const refused = (): string[] =>
    [...sendsUnderWay, ...whileFrozen]
      .filter(({ status, reference }) => status === 503 && reference !== '')
      .map(({ reference }) => reference);

  test('all works again by itself', () => {
    expect(found.later.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('what came while it hung was never accepted', () => {
    expect([found.accepted, found.otps]).toEqual([[], 0]);
  });

  test('what the server finds when it goes on comes too late', () => {
    expect(found.quiet).toEqual({ statuses: [503, 503], left: { messages: 0, otps: 0 } });
  });

  test('nothing that was refused is sent later', () => {
    expect(refused().length).toBeGreaterThan(0);
    expect(found.sentLater).toEqual([]);
  });

  test('nothing is held any more, and what was accepted was paid', () => {
    expect(found.books).toEqual({ held: 0, wrong: 0 });
  });

  test('a request that was refused goes through when it is sent again, and once', () => {
    expect(found.again.filter(({ status }) => status !== 200)).toEqual([]);
    expect(found.sentTwice).toEqual([]);
  });

  test('no connection is left over from the way', async () => {
    await until('the pools are as they were', async () => {
      const [row] = await runSql(
        url,
        `select count(*) filter (where state like 'idle in transaction%')::int as open, count(*)::int as n
         from pg_stat_activity where datname = 'hangs' and pid <> pg_backend_pid()`,
      );
      return row?.open === 0 && Number(row.n) <= 30 ? true : null;
    });
  });
});
