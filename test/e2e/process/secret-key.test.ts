import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { oncePerFile } from '../../support/fixtures.ts';
import { runCommand } from '../../support/processes/cli.ts';
import {
  ask,
  failToStart,
  type Gateway,
  makeFolder,
  operatorTokenOf,
  seedDemo,
  startGateway,
} from '../../support/processes/gateway.ts';

const key = (byte: number): string => Buffer.alloc(32, byte).toString('base64');
const idOf = (byte: number): string => createKeyRing(Buffer.alloc(32, byte), []).currentId;

/** The sealed key of the names of erased recipients. */
const ERASURE_KEY = 'select * from erasure_key';

/** Has every code expire. */
const EXPIRE = `update otps set expires_at = now() - interval '1 second'`;

const [FORMER, NEW, FOREIGN] = [key(21), key(22), key(23)];

async function stop(gateway: Gateway): Promise<void> {
  gateway.kill('SIGTERM');
  await gateway.exited;
}

/** The error text of a refused command. */
async function refusedCommand(env: Readonly<Record<string, string>>, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await runCommand(env, ...args);
  expect({ status, stdout }, stderr).toEqual({ status: 1, stdout: '' });
  return stderr.trimEnd();
}

/** Has a command open the database as a gateway does, which it may. */
async function open(env: Readonly<Record<string, string>>): Promise<void> {
  expect(await runCommand(env, 'account', 'list')).toMatchObject({ status: 0 });
}

/** The one sentence of a start that was refused. */
async function refusalOf(options: Parameters<typeof failToStart>[0]): Promise<string> {
  const { code, stderr, stdout } = await failToStart(options);
  const lines = stderr.split('\n').filter(line => line !== '' && !line.endsWith(' …'));
  expect({ code, stdout, lines: lines.length }, stderr).toEqual({ code: 1, stdout: '', lines: 1 });
  return lines[0] ?? '';
}

async function sendOtp(gateway: Gateway, token: string): Promise<void> {
  await ask(
    gateway,
    token,
    `mutation { sendOtp(input: { to: "+12025550100", channels: [SMS], sender: "DEMO" }) { pinId } }`,
  );
}

describePostgres('the secret key of a database', () => {
  let database: TestDatabase;
  let databaseUrl: string;
  const databases: TestDatabase[] = [];

  beforeEach(async () => {
    database = await createDatabase();
    databases.push(database);
    databaseUrl = database.kind === 'postgres' ? database.url : '';
  });
  afterAll(async () => {
    for (const each of databases) await each.drop();
  });

  /** A database that a gateway with the former key has left, with one code that lives, and the folder of that gateway. */
  const left = oncePerFile(async () => {
    const made = await createDatabase();
    databases.push(made);
    const url = made.kind === 'postgres' ? made.url : '';
    const gateway = await startGateway({ databaseUrl: url, env: { SECRET_KEY: FORMER } });
    await sendOtp(gateway, (await seedDemo(gateway)).tokens.unified);
    await stop(gateway);
    return { url, dataDir: gateway.dataDir };
  });

  /** Makes the database of the test a copy of that one. */
  async function takeOver(): Promise<void> {
    const [own, server] = [new URL(databaseUrl).pathname.slice(1), new URL('/postgres', left.url).href];
    await runSql(server, `drop database "${own}"`);
    await runSql(server, `create database "${own}" template "${new URL(left.url).pathname.slice(1)}"`);
  }

  const startWith = (SECRET_KEY: string, SECRET_KEY_PREVIOUS = '', dataDir?: string) =>
    startGateway({
      databaseUrl,
      env: { SECRET_KEY, SECRET_KEY_PREVIOUS },
      ...(dataDir === undefined ? {} : { dataDir }),
    });

  /** Settings of a command that opens the database itself: with its keys it does as a gateway does, and takes less time. */
  const commandWith = async (SECRET_KEY: string) => ({
    DATA_DIR: await makeFolder(),
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
  });

  test('a foreign one is refused, by gateway and command line, and the former one starts again', async () => {
    await takeOver();
    await runSql(databaseUrl, EXPIRE);
    const sentence = await refusalOf({ databaseUrl, env: { SECRET_KEY: FOREIGN } });
    expect(sentence).toBe(
      `The database was made with another SECRET_KEY (id ${idOf(21)}) than the one that is set (id ${idOf(23)}): set the former one again, or name it in SECRET_KEY_PREVIOUS to go over to the new one; if it is lost for good, nothing else is, and \`npx heliograph key forget ${idOf(21)}\` goes on without it.`,
    );
    expect(await refusedCommand(await commandWith(FOREIGN), 'account', 'list')).toBe(sentence);
    await stop(await startWith(FORMER));
  });

  test('a foreign one leaves the key of erased recipients as it is, though none was erased yet', async () => {
    await takeOver();
    const kept = await runSql(databaseUrl, ERASURE_KEY);
    expect(kept).toMatchObject([{ key_id: idOf(21) }]);
    const env = await commandWith(FOREIGN);
    await refusedCommand(env, 'account', 'list');
    await refusedCommand(env, 'key', 'forget', idOf(22), '--yes');
    expect(await runSql(databaseUrl, ERASURE_KEY)).toEqual(kept);
  });

  test('a foreign one makes no key of erased recipients', async () => {
    await takeOver();
    await runSql(databaseUrl, 'delete from erasure_key');
    await refusedCommand(await commandWith(FOREIGN), 'account', 'list');
    expect(await runSql(databaseUrl, ERASURE_KEY)).toEqual([]);
  });

  test('goes over to a new one that names the former, which may be dropped when nothing needs it', async () => {
    await takeOver();
    const second = await startWith(NEW, FORMER);
    await stop(second);
    const env = await commandWith(NEW);
    expect(await refusedCommand(env, 'account', 'list')).toMatch(
      new RegExp(
        `^SECRET_KEY_PREVIOUS does not name the former key \\(id ${idOf(21)}\\) that 1 live passcode still need`,
      ),
    );
    await runSql(databaseUrl, EXPIRE);
    await open(env);
    // The database belongs to the new one: the former alone is a foreign one.
    expect(await refusedCommand(await commandWith(FORMER), 'account', 'list')).toContain(`(id ${idOf(22)})`);
  });

  test('of two that start at once with different ones exactly one comes up', async () => {
    const start = (SECRET_KEY: string) =>
      startWith(SECRET_KEY).then(
        gateway => ({ gateway, said: '' }),
        (error: Error) => ({ gateway: null, said: error.message }),
      );
    const both = await Promise.all([start(FORMER), start(NEW)]);
    expect(both.filter(({ gateway }) => gateway !== null)).toHaveLength(1);
    expect(both.find(({ gateway }) => gateway === null)?.said).toContain('made with another SECRET_KEY');
    for (const { gateway } of both) if (gateway) await stop(gateway);
  });

  test('is adopted by a database of an earlier release, unless something lives there that needs another one', async () => {
    await takeOver();
    await runSql(databaseUrl, 'delete from secret_key');
    expect(await refusedCommand(await commandWith(FOREIGN), 'account', 'list')).toMatch(
      new RegExp(`made with another SECRET_KEY \\(id ${idOf(21)}\\).*\\(1 live passcode\\)`),
    );
    await open(await commandWith(FORMER));
  });

  test('that is lost can be given up by who types its id', async () => {
    await takeOver();
    const env = { DATA_DIR: left.dataDir, DATABASE_URL: databaseUrl, SECRET_KEY: FOREIGN };
    expect(await refusedCommand(env, 'key', 'forget', idOf(23), '--yes')).toMatch(/^invalid_input: /);
    expect(await refusedCommand(env, 'key', 'forget', idOf(22), '--yes')).toBe(
      'not_found: Nothing in this database needs a key with this id.',
    );
    expect(await runCommand(env, 'key', 'forget', idOf(21), '--yes')).toMatchObject({ status: 0 });
    const next = await startWith(FOREIGN, '', left.dataDir);
    const { auditEntries } = await ask<{ auditEntries: { nodes: object[] } }>(
      next,
      await operatorTokenOf(left),
      `{ auditEntries(filter: { action: "secret_key.forgotten" }) { nodes { subject details } } }`,
    );
    expect(auditEntries.nodes).toEqual([
      { subject: idOf(21), details: { passcodes: 1, endpoints: 0, connections: 0, factors: 0, rules: 0, stops: 0 } },
    ]);
    await stop(next);
  });

  test('that is generated is the same for processes that share a data directory and start at once', async () => {
    const dataDir = await makeFolder();
    const both = await Promise.all([
      startGateway({ databaseUrl, dataDir, env: { SECRET_KEY: '' } }),
      startGateway({ databaseUrl, dataDir, env: { SECRET_KEY: '' } }),
    ]);
    for (const gateway of both) await stop(gateway);
    expect((await readdir(dataDir)).filter(name => name.startsWith('secret.key'))).toEqual(['secret.key']);
  });
});

describe('the secret key of the embedded database', () => {
  test('that was lost is not replaced by a new one', async () => {
    const gateway = await startGateway();
    await stop(gateway);
    const { dataDir } = gateway;
    const file = join(dataDir, 'secret.key');
    await rename(file, join(dataDir, 'elsewhere'));
    const sentence = await refusalOf({ dataDir });
    expect(sentence).toMatch(
      /^The database was made with another secret key \(id [0-9a-f]{8}\) than the one in DATA_DIR \(secret\.key, lost or replaced\): put the former file back, or/,
    );
    expect((await readdir(dataDir)).filter(name => name.startsWith('secret.key'))).toEqual([]);
    expect(await refusedCommand({ DATA_DIR: dataDir }, 'account', 'list')).toBe(sentence);
    await rename(join(dataDir, 'elsewhere'), file);
    await open({ DATA_DIR: dataDir });
    await rm(file);
    const lost = /key forget ([0-9a-f]{8})/.exec(sentence)?.[1] ?? '';
    expect(await runCommand({ DATA_DIR: dataDir }, 'key', 'forget', lost, '--yes')).toMatchObject({ status: 0 });
    await stop(await startGateway({ dataDir }));
    expect(existsSync(file)).toBe(true);
  });
});
