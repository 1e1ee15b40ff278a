import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PGlite } from '@electric-sql/pglite';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type App, openApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { openEmbedded } from '../../../src/db/embedded/embedded.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import { OPERATOR_TOKEN, restRequest } from '../../support/app.ts';
import { rememberKeys, TOLD } from '../../support/leaks/leak-scan.ts';
import { NO_WATCHED_DISK, type WatchedDisk, watchDisk } from '../../support/processes/power-loss.ts';
import { makeAccount } from '../../support/services.ts';

if (NO_WATCHED_DISK !== null) process.stdout.write(`${NO_WATCHED_DISK}\n`);

// Each makes a database, which takes three seconds on an idle machine and many times that on a busy one.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of undo.splice(0).reverse()) await one();
});

/** A gateway with an embedded database on a disk whose power can be lost, and an account that may send. */
async function openOnWatchedDisk(durability: 'full' | 'relaxed') {
  const base = await mkdtemp(join(tmpdir(), 'heliograph-power-'));
  undo.push(() => rm(base, { recursive: true, force: true }));
  const disk = watchDisk(base);
  undo.push(disk.release);
  const config = readConfig({
    DATA_DIR: join(disk.folder, 'new', 'data'),
    OPERATOR_TOKEN,
    EMBEDDED_DURABILITY: durability,
  });
  const app = await openApp(config, { log: TOLD.logger() });
  undo.push(app.stop);
  const { keys } = app.services;
  rememberKeys(() => keys);
  const account = await makeAccount(app.services);
  const token = await account.token('unified');
  return { app, disk, send: () => send(app, token) };
}

async function send(app: App, token: string): Promise<string> {
  const body = { to: '+12025550100', text: 'Quiet harbour', channels: ['sms'], sender: 'ACME' };
  const response = await app.fetch(restRequest('POST', '/api/omni/send', { token, body }));
  expect(response.status).toBe(200);
  const answer = (await response.json()) as { data: { messageId: string } };
  return answer.data.messageId;
}

/** The data directory as it is after power was lost now. */
function afterPowerLoss(disk: WatchedDisk, name: string): string {
  const image = join(disk.folder, '..', name);
  disk.losePower(image);
  return join(image, 'new', 'data');
}

async function messagesIn(dataDir: string): Promise<string[]> {
  const pglite = await openEmbedded(dataDir, 'relaxed');
  try {
    return (await pglite.query<{ id: string }>('select id from messages')).rows.map(row => row.id);
  } finally {
    await pglite.close();
  }
}

function embeddedOf(app: App): PGlite {
  const { engine } = app.services.database;
  if (engine.kind !== 'pglite') throw new Error('the database is not embedded');
  return engine.pglite;
}

describe.skipIf(NO_WATCHED_DISK !== null)('when power is lost', () => {
  test('an embedded database has every message that was answered 200', async () => {
    const { app, disk, send } = await openOnWatchedDisk('full');
    const first = await send();
    const atFirst = afterPowerLoss(disk, 'first');
    // Files and folders that there were not: segments of the log, tables, and what a checkpoint writes.
    await embeddedOf(app).exec('select pg_switch_wal(); create table late (n int); insert into late values (1)');
    await embeddedOf(app).exec('checkpoint');
    const second = await send();
    const atSecond = afterPowerLoss(disk, 'second');
    await expect(messagesIn(atFirst)).resolves.toEqual([toUuid(first)]);
    await expect(messagesIn(atSecond).then(ids => ids.sort())).resolves.toEqual([toUuid(first), toUuid(second)].sort());
  });

  test('one that is relaxed has nothing but the empty database that it was made as', async () => {
    const { disk, send } = await openOnWatchedDisk('relaxed');
    await send();
    await expect(messagesIn(afterPowerLoss(disk, 'relaxed'))).rejects.toThrow('relation "messages" does not exist');
  });
});
