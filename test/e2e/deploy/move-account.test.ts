/** An account that moves from one cell to another as docs/scale.md says, by deploy/cells/move-account, while a caller sends. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { createDatabase, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { runCommand, runCommandJson } from '../../support/processes/cli.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import { freePorts } from '../../support/processes/free-ports.ts';
import {
  ask,
  type DemoGateway,
  type Gateway,
  makeFolder,
  operatorTokenOf,
  type Sent,
  send,
  startDemoGateway,
  startGateway,
  until,
} from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { readPage } from '../../support/rules/docs.ts';
import { HAPROXY, missing, type Program, startProgram } from '../../support/smpp/programs.ts';
import { provesStandard } from '../../support/webhooks/independent-signatures.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

const run = promisify(execFile);
const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const [EU1_KEY, US1_KEY] = [key(41), key(42)];
const US1_KEY_ID = createKeyRing(Buffer.alloc(32, 42), []).currentId;

/** A month that only the old cell has partitions for. */
const OLD_MONTH = [new Date('2025-03-01T00:00:00Z'), new Date('2025-04-01T00:00:00Z')] as const;

/** The tables that differ between the cells: the credentials, and the alert rules, paused in the old one. */
const DIFFERS = ['tokens', 'dashboard_users', 'dashboard_invitations', 'alert_rules'];

/** The tables that tell the account, and have its rows in both cells. */
const TABLES = `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  and not c.relispartition and c.relname <> all('{${DIFFERS}}')
  and exists (select from pg_attribute where attrelid = c.oid and attname = 'account_id') order by 1`;

const isLeftOut = missing(['haproxy']) !== null || inject('testDatabase').kind === 'pglite';

// One story: each test begins where the one before ended.
describe.skipIf(isLeftOut)('an account that moves to another cell', { shuffle: false }, () => {
  let eu1: DemoGateway;
  let us1: Gateway;
  let database: TestDatabase;
  let proxy: Program;
  let receiver: Receiver;
  let folder: string;
  let front: { readonly url: string };
  let ports: Record<'front' | 'us1', number>;
  let usDataDir: string;
  /** The variables of the page's commands. */
  let env: Record<string, string>;

  const usUrl = (): string => (database.kind === 'postgres' ? database.url : '');
  const inEu1 = (sql: string) => runSql(eu1.env.DATABASE_URL ?? '', sql);
  const inUs1 = (sql: string) => runSql(usUrl(), sql);
  const account = (): string => toUuid(eu1.demo.accountId);
  const usSettings = () => ({
    PORT: String(ports.us1),
    SECRET_KEY: US1_KEY,
    SECRET_KEY_PREVIOUS: EU1_KEY,
    TRUSTED_PROXIES: '1',
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  const usEnv = () => ({ ...usSettings(), DATA_DIR: usDataDir, DATABASE_URL: usUrl() });
  const startUs1 = () => startGateway({ databaseUrl: usUrl(), dataDir: usDataDir, env: usSettings() });

  beforeAll(async () => {
    receiver = await startReceiver();
    ports = await freePorts('front', 'us1');
    database = await createDatabase();
    // The commands of HAProxy take no path with spaces, as those of `makeFolder` have.
    [folder, usDataDir] = [await mkdtemp(join(tmpdir(), 'heliograph-move-')), await makeFolder()];
    const euSettings = { SECRET_KEY: EU1_KEY, TRUSTED_PROXIES: '1', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
    [eu1, us1] = await Promise.all([startDemoGateway({ env: euSettings }), startUs1()]);
    front = { url: `http://127.0.0.1:${ports.front}` };
    env = {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      ACCOUNT: eu1.demo.accountId,
      EU1_DATABASE_URL: eu1.env.DATABASE_URL ?? '',
      US1_DATABASE_URL: usUrl(),
      FROM: eu1.env.DATABASE_URL ?? '',
      TO: usUrl(),
      CELLS_MAP: join(folder, 'cells.map'),
      CELLS_SOCKET: join(folder, 'haproxy.sock'),
    };
    await symlink(join(REPOSITORY, 'deploy'), join(folder, 'deploy'));
    // A stand-in for `socat`, without its package: standard input to the socket, and the answer back.
    const script = `process.stdin.pipe(require('net').connect(process.argv[1])).pipe(process.stdout)`;
    const socat = `#!/bin/sh\nexec '${process.execPath}' -e "${script}" "$2"\n`;
    await writeFile(join(folder, 'socat'), socat, { mode: 0o755 });
    await typed(/^psql "\$EU1.*cells\.map$/m);
    const [host, other] = [new URL(eu1.url).host, `127.0.0.1:${ports.us1}`];
    const settings = Object.entries({ ...env, FRONT: `127.0.0.1:${ports.front}`, EU1: host, US1: other });
    const config = join(REPOSITORY, 'deploy/haproxy/cells.cfg');
    proxy = startProgram('env', [...settings.map(pair => pair.join('=')), HAPROXY, '-db', '-f', config]);
    await until('HAProxy serves', async () => ((await sendBy(front).catch(() => null))?.status === 200 ? true : null));
  });
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    for (const gateway of [eu1, us1]) gateway?.kill('SIGTERM');
    await Promise.all([eu1, us1].map(gateway => gateway?.exited));
    await receiver?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Types commands into a shell, in a folder where `deploy` is. */
  const type = (commands: string) => run('bash', ['--norc', '-euo', 'pipefail', '-c', commands], { cwd: folder, env });

  /** Types what the page says. */
  async function typed(pattern: RegExp): Promise<string> {
    const [command = ''] = pattern.exec(readPage('docs/scale.md').text) ?? [];
    expect(command).not.toBe('');
    return (await type(command)).stdout;
  }

  /** The blocks of the section that moves an account, without their indent. */
  function blocks(): string[] {
    const [, section = ''] = readPage('docs/scale.md').text.split('## Move an account\n');
    return [...section.matchAll(/^ {3}```bash\n([\s\S]*?)^ {3}```$/gm)].map(([, code = '']) => code);
  }

  /** How the script ends that is not to move anything. */
  const refusal = (...args: string[]): Promise<string> =>
    type(`deploy/cells/move-account ${args.join(' ')} "$ACCOUNT"`).then(
      () => 'it moved',
      (error: { stderr: string }) => error.stderr,
    );

  const sendBy = (gateway: { readonly url: string }, request: object = {}): Promise<Sent> =>
    send(gateway, eu1.demo.tokens.unified, request);

  async function post(path: string, body: object) {
    const headers = { authorization: `Bearer ${eu1.demo.tokens.unified}`, 'content-type': 'application/json' };
    const answer = await fetch(`${front.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, data: ((await answer.json()) as { data: Record<string, unknown> }).data };
  }

  /** Sends one after the other, each until it is taken; answers the id of each by its reference. */
  async function sendOn(taken: Map<string, string>, held: Sent[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const reference = `moving-${taken.size}`;
      const answer = await until(
        `${reference} is taken`,
        async () => {
          const sent = await sendBy(front, { reference }).catch(() => null);
          // HAProxy's own 503 is a page: it has not seen yet that the new cell is up again.
          if (sent === null) return null;
          if (sent.status !== 503) return sent;
          held.push(sent);
          return null;
        },
        120_000,
      );
      if (answer.status !== 200)
        throw new Error(
          `${reference} was answered ${answer.status} by ${answer.headers.get('x-cell')}: ${answer.text}`,
        );
      taken.set(reference, answer.body.data?.messageId ?? '');
    }
  }

  /** The account's rows in a cell, as a hash by table. */
  async function rowsIn(cell: (sql: string) => Promise<Record<string, unknown>[]>): Promise<Record<string, unknown>> {
    const hashes: Record<string, unknown> = {};
    for (const { name } of await cell(TABLES)) {
      const rows = `select t::text as r from ${name} t where account_id = '${account()}'`;
      const [hash] = await cell(
        `select count(*)::int, md5(string_agg(r, ' ' order by r)) as hash from (${rows}) all_rows`,
      );
      hashes[String(name)] = hash;
    }
    return hashes;
  }

  /** Gives the account something in tables that a send does not fill, and a message of a month that is long over. */
  async function furnish(): Promise<void> {
    const [from, to] = OLD_MONTH.map(uuidFloor);
    await inEu1(
      `create table messages_p202503 partition of messages for values from ('${from}') to ('${to}') with (fillfactor = 45)`,
    );
    await inEu1(
      `insert into messages select (jsonb_populate_record(m, '{"id": "${from}"}')).* from messages m limit 1`,
    );
    const operator = await operatorTokenOf(eu1);
    const config = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'quiet-harbour' };
    const input = {
      accountId: eu1.demo.accountId,
      channel: 'SMS',
      provider: 'twilio',
      name: 'Own',
      config,
      countries: ['GB'],
    };
    await ask(
      eu1,
      operator,
      'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
      { input },
    );
    const [person, note, invitation] = [newId('acc'), newId('acc'), newId('inv')].map(toUuid);
    await inEu1(`insert into dashboard_invitations (id, account_id, email, role, hash, created_at, expires_at)
      values ('${invitation}', '${account()}', 'ada@example.com', 'owner', '${'0'.repeat(64)}', now(), now() + interval '1 day')`);
    await inEu1(`insert into people (id, account_id, name) values ('${person}', '${account()}', 'Ada')`);
    await inEu1(`insert into auto_reply_marks (person_id, keyword, answered_at) values ('${person}', 'HOURS', now())`);
    await inEu1(
      `insert into suppressions (id, account_id, person, origin, created_at) values ('${note}', '${account()}', '12025550166', 'account', now())`,
    );
  }

  test('is opened again in the old cell where the new one does not take it', async () => {
    const [other, person] = [newId('acc'), newId('usr')].map(toUuid);
    await inUs1(`insert into accounts (id, name, created_at) values ('${other}', 'Other', now())`);
    await inUs1(`insert into dashboard_users (id, account_id, email, role, created_at)
      values ('${person}', '${other}', '${eu1.demo.dashboard.email}', 'owner', now())`);
    expect(await refusal()).toMatch(
      /dashboard_users_email_unique[\s\S]*\nNothing was moved, and the old cell serves the account as before/,
    );
    expect(await inUs1(`select id from accounts`)).toEqual([{ id: other }]);
    expect(await sendBy(front)).toMatchObject({ status: 200 });
    expect(await inEu1(`select email from dashboard_users`)).toEqual([{ email: eu1.demo.dashboard.email }]);
    await inUs1(`delete from dashboard_users`);
  });

  test('is opened again where a question to the old cell fails', async () => {
    const { stdout: real } = await type('command -v psql');
    const failing = `#!/bin/bash\nsql=$([[ "$*" == *" -c "* ]] || cat)\n[[ $sql != *'with hangs'* ]] && exec ${real.trim()} "$@" <<<"$sql"\n`;
    await writeFile(join(folder, 'psql'), failing, { mode: 0o755 });
    expect(await refusal()).toBe('Nothing was moved, and the old cell serves the account as before.\n');
    await rm(join(folder, 'psql'));
    expect(await sendBy(front)).toMatchObject({ status: 200 });
  });

  test('is left alone while a number of it is linked', async () => {
    const connection = toUuid(newId('con'));
    await inEu1(`insert into connections (id, account_id, provider, channel, name, config, config_key_id, created_at, updated_at)
      values ('${connection}', '${account()}', 'chat-qr', 'chat_qr', 'Number', '', '00000000', now(), now())`);
    await inEu1(
      `insert into chat_sessions (connection_id, state, state_since, number) values ('${connection}', 'linked', now(), '15550000009')`,
    );
    expect(await refusal()).toBe(
      'Numbers of the account are linked by QR. Unlink them here, and link them again in the new cell.\n',
    );
    expect(await sendBy(front)).toMatchObject({ status: 200 });
    await inEu1(`delete from chat_sessions`);
    await inEu1(`delete from connections where id = '${connection}'`);
  });

  test('goes on there with its ids, tokens, balance, passcodes and webhooks, and its sends lose nothing', async () => {
    const endpoint = await makeEndpoint(eu1, receiver.url);
    await furnish();
    const otp = await post('/api/omni/otp/send', { to: '+12025550100', channels: ['sms'], sender: 'DEMO' });
    const before = await sendBy(front, { reference: 'before' });
    const phone = '{ sandboxMessages(to: "+12025550100", first: 20) { text } }';
    const pin = await until('the passcode arrives', async () => {
      type Texts = { sandboxMessages: { text: string }[] };
      const { sandboxMessages } = await ask<Texts>(eu1, eu1.demo.tokens.management, phone);
      return /\b\d{6}\b/.exec(sandboxMessages.map(({ text }) => text).join(' '))?.[0] ?? null;
    });

    const [taken, held, ends] = [new Map<string, string>(), [] as Sent[], new AbortController()];
    const sending = sendOn(taken, held, ends.signal);
    const isSending = (count: number) =>
      Promise.race([sending, until('the caller sends', async () => (taken.size >= count ? true : null), 120_000)]);
    await isSending(20);
    const [hold = '', move = '', goOn = ''] = blocks();
    await type(hold);
    expect((await type(move)).stdout).toMatch(/^Moved .+, which has \d+ credits\.\n$/);
    const heldTo = taken.size;
    const rows = await rowsIn(inUs1);
    expect(rows).toEqual(await rowsIn(inEu1));
    expect(rows).toMatchObject({
      connections: { count: 1 },
      people: { count: 1 },
      suppressions: { count: 1 },
      otps: { count: 1 },
    });
    expect(await inUs1('select keyword from auto_reply_marks')).toEqual([{ keyword: 'HOURS' }]);
    // Invited people enter the new cell, and the old one no more.
    const isOpen = 'select accepted_at is null as open from dashboard_invitations';
    expect([await inUs1(isOpen), await inEu1(isOpen)]).toEqual([[{ open: true }], [{ open: false }]]);
    us1.kill('SIGTERM');
    await us1.exited;
    us1 = await startUs1();
    expect(await runCommand(usEnv(), 'balance', 'check')).toMatchObject({ status: 0 });
    await type(goOn);
    await isSending(heldTo + 20);
    ends.abort();
    await sending;

    // Each send once, and under the id that its caller was told.
    const messages =
      await inUs1(`select m.reference, 'msg_' || replace(m.id::text, '-', '') as id, count(a.id)::int as attempts
      from messages m left join attempts a on a.message_id = m.id where m.reference like 'moving-%' group by 1, 2`);
    expect(messages).toHaveLength(taken.size);
    for (const { reference, id, attempts } of messages)
      expect([taken.get(String(reference)), attempts]).toEqual([id, 1]);
    expect(held.length).toBeGreaterThan(0);
    expect(held[0]?.headers.get('retry-after')).toBe('5');
    expect(held[0]?.body.code).toBe('overloaded');

    const again = await sendBy(front, { reference: 'before' });
    expect([again.body.data?.messageId, again.headers.get('idempotency-replayed')]).toEqual([
      before.body.data?.messageId,
      'true',
    ]);
    expect(again.headers.get('x-cell')).toBe('us1');
    expect(await post('/api/omni/otp/verify', { pinId: otp.data.pinId, pin })).toMatchObject({
      status: 200,
      data: { status: 'verified' },
    });
    expect((await sendBy(eu1)).status).toBe(401);

    const last = taken.get(`moving-${taken.size - 1}`) ?? '';
    const event = await until(
      'the last send is told',
      async () => receiver.received.find(({ body }) => body.includes(last)) ?? null,
    );
    expect(provesStandard(event, endpoint.secret)).toBe(true);
    await until('everything is sealed anew', async () => {
      const keys = await inUs1(
        `select config_key_id as id from connections union select secret_key_id from webhook_endpoints`,
      );
      return keys.length === 1 && keys[0]?.id === US1_KEY_ID ? true : null;
    });
    expect(await runCommand(usEnv(), 'balance', 'check')).toMatchObject({ status: 0 });
    expect(await runCommand(eu1.env, 'balance', 'check')).toMatchObject({ status: 0 });
    const findings = await runCommandJson<{ name: string }[]>(usEnv(), 'doctor');
    expect(JSON.stringify(findings)).not.toContain('keys.missing');
  });

  test('is neither moved twice nor opened in the old cell once it has moved', async () => {
    expect(await refusal()).toBe('The new cell has this account already.\n');
    expect(await refusal('--reopen')).toBe('The new cell has the account: it lives there.\n');
  });
});
