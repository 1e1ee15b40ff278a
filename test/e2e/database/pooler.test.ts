import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openHttpGateway } from '../../support/connections/http-gateway.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { type Pgbouncer, type PgbouncerSettings, startPgbouncer } from '../../support/databases/pgbouncer.ts';
import { databaseUrl, runSql, uniqueName } from '../../support/databases/postgres.ts';
import { oncePerFile } from '../../support/fixtures.ts';
import { type FollowedLog, followLog } from '../../support/logs/follow-log.ts';
import { newAddress } from '../../support/otp/addresses.ts';
import { newRecipient } from '../../support/otp/pins.ts';
import { callRest, guessOutcome, OTP_PATHS } from '../../support/otp/race.ts';
import { makeAccount, type OwnAccount } from '../../support/processes/accounts.ts';
import { runCommand } from '../../support/processes/cli.ts';
import {
  ask,
  failToStart,
  type Gateway,
  makeFolder,
  operatorTokenOf,
  seedDemo,
  send,
  startGateway,
  until,
} from '../../support/processes/gateway.ts';
import { missing } from '../../support/smpp/programs.ts';

/** Longer than a busy machine takes to tell of something, and shorter than the minute after which all is read again. */
const SOON_MS = 20_000;

const REFUSED =
  "LISTEN does not work through DATABASE_URL, as behind PgBouncer in transaction mode. Set DATABASE_DIRECT_URL to the database's own address.";

const SENDS = 200;
const GUESSES = 1_000;

/** A pool of each process that leaves room for those of others on the server of the tests. */
const SMALL = { DATABASE_POOL_SIZE: '6' };

/** The settings of a process that says where its database is. */
type Urls = Readonly<Record<'DATABASE_URL', string>> & { readonly DATABASE_DIRECT_URL?: string };

const start = ({ DATABASE_URL, ...env }: Urls): Promise<Gateway> =>
  startGateway({ databaseUrl: DATABASE_URL, env: { ...SMALL, ...env } });

async function stop(...gateways: readonly Gateway[]): Promise<void> {
  for (const gateway of gateways) gateway.kill('SIGTERM');
  await Promise.all(gateways.map(gateway => gateway.exited));
}

async function readyzOf(gateway: Gateway): Promise<[number, string]> {
  const response = await fetch(`${gateway.url}/readyz`);
  const { status } = (await response.json()) as { status: string };
  return [response.status, status];
}

const untilReadyz = (gateway: Gateway, status: number, words: string): Promise<true> =>
  until(`/readyz answers ${status}, ${words}`, async () => {
    const answer = await readyzOf(gateway);
    return (answer[0] === status && answer[1] === words) || null;
  });

interface Finding {
  readonly name: string;
  readonly status: string;
  readonly message: string;
}

/** Finds one part of what the doctor of a gateway says of the database. */
async function findingOf(gateway: Gateway, part: 'listen' | 'tls'): Promise<Finding | undefined> {
  const { doctor } = await ask<{ doctor: { findings: Finding[] } }>(
    gateway,
    await operatorTokenOf(gateway),
    '{ doctor { findings { name status message } } }',
  );
  return doctor.findings.find(({ name }) => name === `database.${part}`);
}

/** An account with credits for many sends. */
async function makeCustomer(gateway: Gateway): Promise<OwnAccount> {
  const account = await makeAccount(gateway);
  const input = { accountId: account.accountId, credits: 1_000_000, reason: 'for tests' };
  const query = 'mutation ($input: AdjustBalanceInput!) { adjustBalance(input: $input) { id } }';
  await ask(gateway, await operatorTokenOf(gateway), query, { input });
  return account;
}

const sendOf = ({ token }: OwnAccount, gateway: Gateway, request: object = {}) =>
  send(gateway, token, { sender: 'ACME', ...request });

/** Sends through one gateway, and reads from the log that another one follows how it went, each status once. */
async function tells(account: OwnAccount, from: Gateway, feed: FollowedLog): Promise<void> {
  const messageId = (await sendOf(account, from)).body.data?.messageId;
  const told = [await feed.next()];
  // An entry that is read again later may have been delivered already.
  if (told[0]?.status === 'SENT') told.push(await feed.next());
  const statuses = told.length === 1 ? ['DELIVERED'] : ['SENT', 'DELIVERED'];
  expect(told).toMatchObject(statuses.map(status => ({ messageId, status })));
}

const describePooled = missing(['pgbouncer']) === null ? describePostgres : describe.skip;

describePooled('a pooler in front of the database', () => {
  const carrier = oncePerFile(openHttpGateway, gateway => gateway.close());
  let template: TestDatabase;
  let clusterUrl: string;
  const names: string[] = [];
  const poolers: Pgbouncer[] = [];

  beforeAll(async () => {
    template = await createDatabase();
    clusterUrl = template.kind === 'postgres' ? databaseUrl(template.url, 'postgres') : '';
  });

  afterAll(async () => {
    for (const pooler of poolers) await pooler[Symbol.asyncDispose]();
    for (const name of names) await runSql(clusterUrl, `drop database if exists "${name}" with (force)`);
    await template.drop();
  });

  /** A database with nothing in it. */
  async function makeEmpty(): Promise<string> {
    const name = uniqueName('heliograph_pooled');
    await runSql(clusterUrl, `create database "${name}"`);
    names.push(name);
    return databaseUrl(clusterUrl, name);
  }

  async function pooled(settings: PgbouncerSettings): Promise<Pgbouncer> {
    const pooler = await startPgbouncer(clusterUrl, settings);
    poolers.push(pooler);
    return pooler;
  }

  const transactions = (size: number) => pooled({ pool_mode: 'transaction', default_pool_size: size });
  const sessions = () => pooled({ pool_mode: 'session', default_pool_size: 60 });

  /** A new account is connected on one gateway, and what it sends through the other one goes by that connection. */
  async function connectsAtOnce(first: Gateway, second: Gateway): Promise<void> {
    const account = await makeCustomer(first);
    // Not one of those that the sandbox answers whatever is connected.
    const to = `+${newRecipient()}`;
    const before = carrier.messages.length;
    await sendOf(account, second, { to });
    expect(carrier.messages).toHaveLength(before);
    await account.connect('Carrier', carrier.config);
    await until(
      'the other process sends by the new connection',
      async () => {
        await sendOf(account, second, { to });
        return carrier.messages.length > before ? true : null;
      },
      SOON_MS,
    );
  }

  test('in transaction mode, small or large, refuses a start that has no direct URL', async () => {
    const refused = async (size: number): Promise<void> => {
      const [empty, pooler] = [await makeEmpty(), await transactions(size)];
      const { code, stderr } = await failToStart({ databaseUrl: pooler.through(empty), env: SMALL });
      expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, REFUSED]);
      // Nothing was done to the database before.
      const tables = `select count(*)::int as n from pg_class where relnamespace = 'public'::regnamespace`;
      expect(await runSql(empty, tables)).toEqual([{ n: 0 }]);
    };
    await Promise.all([1, 5].map(refused));
  });

  test('in transaction mode has the doctor tell what to set', async () => {
    const [empty, pooler] = [await makeEmpty(), await transactions(5)];
    const env = { DATA_DIR: await makeFolder(), DATABASE_URL: pooler.through(empty) };
    const { status, stdout } = await runCommand(env, 'doctor', '--json');
    const { findings } = JSON.parse(stdout) as { findings: { name: string; message: string }[] };
    expect([status, findings.find(({ name }) => name === 'gateway')?.message]).toEqual([1, REFUSED]);
  });

  describe.each<[string, (url: string) => Promise<readonly [Urls, Urls]>]>([
    [
      'one without a pooler, one of a pooler in session mode',
      async url => [{ DATABASE_URL: url }, { DATABASE_URL: (await sessions()).through(url) }],
    ],
    [
      'one without a pooler, one of a pooler in session mode, and direct URLs',
      async url => [
        { DATABASE_URL: url, DATABASE_DIRECT_URL: url },
        { DATABASE_URL: (await sessions()).through(url), DATABASE_DIRECT_URL: url },
      ],
    ],
    [
      'both of a pooler in transaction mode, and direct URLs',
      async url => {
        const urls = { DATABASE_URL: (await transactions(10)).through(url), DATABASE_DIRECT_URL: url };
        return [urls, urls];
      },
    ],
  ])('two processes that begin with an empty database, %s', (_how, prepare) => {
    let url: string;
    let first: Gateway;
    let second: Gateway;

    beforeAll(async () => {
      url = await makeEmpty();
      [first, second] = await Promise.all(map(await prepare(url), start));
    });

    afterAll(() => stop(first, second));

    test('are ready, and the doctor finds that they hear', async () => {
      for (const gateway of [first, second]) {
        expect(await readyzOf(gateway)).toEqual([200, 'ready']);
        expect(await findingOf(gateway, 'listen')).toMatchObject({ status: 'OK' });
      }
    });

    test('tell each other of what is sent', async () => {
      const tell = async (from: Gateway, to: Gateway): Promise<void> => {
        const account = await makeCustomer(first);
        const feed = await followLog(to, account.token);
        await tells(account, from, feed);
        feed.close();
      };
      await Promise.all([tell(first, second), tell(second, first)]);
    });

    test('send by a connection that was made on the other one', () => connectsAtOnce(first, second));
  });

  describe('in transaction mode, with a direct line', () => {
    let url: string;
    let line: Pgbouncer;
    let first: Gateway;
    let second: Gateway;

    beforeAll(async () => {
      let pooler: Pgbouncer;
      [url, pooler, line] = await Promise.all([makeEmpty(), transactions(10), sessions()]);
      const urls = { DATABASE_URL: pooler.through(url), DATABASE_DIRECT_URL: line.through(url) };
      [first, second] = await Promise.all([start(urls), start(urls)]);
    });

    afterAll(() => stop(first, second));

    test('have the doctor tell of the pooler and the database, not of the way to the pooler', async () => {
      const { message } = (await findingOf(first, 'tls')) ?? {};
      expect(message).toMatch(
        /^The connection of the pooler to the database is .*The one to the pooler is not looked at/,
      );
    });

    test('many sends at the same time are each accepted once', async () => {
      const account = await makeCustomer(first);
      const answers = await Promise.all(
        Array.from({ length: SENDS }, (_, index) =>
          sendOf(account, index % 2 ? first : second, { reference: `${index}` }),
        ),
      );
      expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
      expect(new Set(answers.map(({ body }) => body.data?.messageId)).size).toBe(SENDS);
      expect(await countOf(url, 'messages', account)).toBe(SENDS);
      expect(await countOf(url, 'attempts', account)).toBe(SENDS);
      expect(await countOf(url, 'ledger', account, "kind = 'capture'")).toBe(SENDS);
    });

    test('of a thousand right guesses at the same time one has the pin', async () => {
      const { unified: token } = (await seedDemo(first)).tokens;
      const recipient = newRecipient();
      const { pinId = '' } = await callRest(first, token, `${OTP_PATHS.unified}/send`, { to: `+${recipient}` });
      const [row] = await runSql(url, `select text from sandbox_messages where recipient = '${recipient}'`);
      const pin = /\b[0-9]{6}\b/.exec(String(row?.text))?.[0] ?? '';
      const answers = await Promise.all(
        Array.from({ length: GUESSES }, (_, index) =>
          callRest(index % 2 ? first : second, token, `${OTP_PATHS.unified}/verify`, {
            pinId,
            pin,
            clientIp: newAddress(),
          }),
        ),
      );
      expect(await guessOutcome(url, pinId, answers)).toMatchObject({
        told: { verified: 1, otp_already_verified: GUESSES - 1 },
        status: 'verified',
        log: { otp_verified: 1 },
      });
    });
    test.each([
      ['breaks', () => line.kill(), () => line.restart()],
      ['is silent', async () => line.freeze(), async () => line.thaw()],
    ])(
      'a process whose line %s says so, reads what it missed, and hears again when the line is back',
      async (_how, cut, mend) => {
        const account = await makeCustomer(first);
        const feed = await followLog(second, account.token);
        await tells(account, first, feed);
        await cut();
        for (const gateway of [first, second])
          await untilReadyz(gateway, 503, 'events of other processes do not arrive');
        expect(await findingOf(second, 'listen')).toMatchObject({ status: 'FAULT' });
        await tells(account, first, feed);
        await connectsAtOnce(first, second);
        await mend();
        for (const gateway of [first, second]) await untilReadyz(gateway, 200, 'ready');
        expect(await findingOf(second, 'listen')).toMatchObject({ status: 'OK' });
        await tells(account, first, feed);
        feed.close();
        const warnings = second.stderr().match(/does not arrive; it is read again/g) ?? [];
        expect(second.stderr().match(/arrives again/g)).toHaveLength(warnings.length);
      },
    );

    test('an entry that is made while the listener of a process is ended is told once', async () => {
      const account = await makeCustomer(first);
      const feed = await followLog(second, account.token);
      const ended = await runSql(
        url,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'heliograph-listen'`,
      );
      expect(ended).toHaveLength(2);
      await tells(account, first, feed);
      feed.close();
    });
  });
});

/** `map` of a pair. */
const map = <From, To>([a, b]: readonly [From, From], make: (from: From) => To): [To, To] => [make(a), make(b)];

async function countOf(url: string, table: string, { accountId }: OwnAccount, where = 'true'): Promise<number> {
  const uuid = accountId.replace('acc_', '');
  const [row] = await runSql(url, `select count(*)::int as n from ${table} where account_id = '${uuid}' and ${where}`);
  return Number(row?.n);
}
