import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { send, startGateway } from '../../support/processes/gateway.ts';
import { traceCalls } from '../../support/processes/system-calls.ts';
import { REPOSITORY } from '../../support/repository.ts';

const SENDS = 5;
const ASKED = /^read\((\d+)<.*"POST \/api\/omni\/send/;
const SYNCED = /^f(data)?sync\(\d+<.*\/pg_wal\/[0-9A-F]{24}>\)\s+= 0/;

const signs = await mkdtemp(join(tmpdir(), 'heliograph-signs-'));
afterAll(() => rm(signs, { recursive: true, force: true }));

/** Whether each request was followed by a sync of the log before its 200 was written. */
function syncedBeforeAnswers(calls: readonly string[]): boolean[] {
  return calls.flatMap((call, at) => {
    const socket = ASKED.exec(call)?.[1];
    if (socket === undefined) return [];
    const rest = calls.slice(at);
    const answer = rest.findIndex(one => new RegExp(`^writev?\\(${socket}<.*"HTTP/1.1 200`).test(one));
    return [answer !== -1 && rest.slice(0, answer).some(one => SYNCED.test(one))];
  });
}

test('the system is asked to sync before each 200 of the embedded database', async ({ skip }) => {
  const gateway = await startGateway({ env: { EMBEDDED_DURABILITY: 'full' } });
  const trace = await traceCalls(gateway.pid, ['read', 'write', 'writev', 'fsync', 'fdatasync']);
  if (typeof trace === 'string') {
    process.stdout.write(`Left out: ${trace}\n`);
    return skip(trace);
  }
  for (let one = 0; one < SENDS; one++) {
    expect((await send(gateway, gateway.demo?.tokens.unified ?? '')).status).toBe(200);
  }
  expect(syncedBeforeAnswers(await trace.stop())).toEqual(new Array(SENDS).fill(true));
});

test('a disk that cannot sync ends the gateway, and what was answered before is there at the next start', async () => {
  const sign = join(signs, 'failing');
  const gateway = await startGateway({
    env: {
      EMBEDDED_DURABILITY: 'full',
      FAILING_DISK: sign,
      NODE_OPTIONS: `--import ${pathToFileURL(join(REPOSITORY, 'test/support/processes/failing-disk.ts'))}`,
    },
  });
  const token = gateway.demo?.tokens.unified ?? '';
  const kept = await send(gateway, token, { reference: 'kept' });
  expect(kept.status).toBe(200);
  await writeFile(sign, '');
  await expect(send(gateway, token, { reference: 'lost' })).rejects.toThrow();
  await expect(gateway.exited).resolves.toEqual({ code: 1, signal: null });
  expect(gateway.stderr()).toContain('has given up: its disk answered EIO. The gateway ends;');

  const next = await startGateway({ dataDir: gateway.dataDir });
  const again = await send(next, token, { reference: 'kept' });
  expect(again.status).toBe(200);
  expect(again.body.data?.messageId).toBe(kept.body.data?.messageId);
});
