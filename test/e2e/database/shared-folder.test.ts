import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { runCli, startCli } from '../../support/processes/cli.ts';
import { failToStart, type Gateway, send, startGateway } from '../../support/processes/gateway.ts';
import { canUnshare, IN_NAMESPACE } from '../../support/processes/namespaces.ts';

const canBeApart = canUnshare();

/** A command as another container would run it. */
const APART = { before: IN_NAMESPACE };

async function killed(gateway: Gateway): Promise<void> {
  gateway.kill('SIGKILL');
  await gateway.exited;
}

describe.skipIf(!canBeApart)('two PID namespaces on one folder', () => {
  test('one gateway runs; the other is refused with the name of the first, until that is killed, and the command line finds it', async () => {
    const first = await startGateway(APART);
    const refused = await failToStart({ dataDir: first.dataDir, ...APART });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^The data directory .* is in use by another gateway \(process 1, \S+\)\. Stop .*\n$/,
    );
    expect(refused.stderr).toContain(`, ${first.url})`);
    const token = first.demo?.tokens.unified ?? '';
    expect((await send(first, token)).status).toBe(200);
    await killed(first);

    const second = await startGateway({ dataDir: first.dataDir, ...APART });
    expect((await send(second, token)).status).toBe(200);
    const env = { DATA_DIR: second.dataDir };
    for (const before of [[], IN_NAMESPACE]) {
      const { status, stdout, stderr } = await startCli(env, ['account', 'list', '--json'], before).result;
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject([{ accountId: first.demo?.accountId }]);
    }
    await killed(second);
  });
});

test('a stranger on the port of a gateway that was killed is told no token', async () => {
  const gateway = await startGateway();
  const env = { DATA_DIR: gateway.dataDir };
  await killed(gateway);
  const told: IncomingHttpHeaders[] = [];
  const stranger = createServer((request, response) => {
    told.push(request.headers);
    response.end('{"status":"ok"}');
  }).listen(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(stranger, 'listening');
  try {
    const { status, stdout, stderr } = await runCli(env, 'account', 'list', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject([{ accountId: gateway.demo?.accountId }]);
    const listening = await runCli(env, 'webhooks', 'listen', '--forward', 'http://127.0.0.1:9');
    expect(listening).toMatchObject({ status: 1, stderr: expect.stringMatching(/^No gateway runs/) });
    expect(told.length).toBeGreaterThan(0);
    expect(told.filter(headers => headers.authorization !== undefined)).toEqual([]);
  } finally {
    stranger.close();
  }
});

test('commands that follow before there is a gateway let one start', async () => {
  const first = await startGateway();
  await killed(first);
  const env = { DATA_DIR: first.dataDir };
  const log = startCli(env, ['logs', '--follow']);
  await log.until('stderr', 'No gateway runs: waiting for one');
  const tries = startCli(env, ['webhooks', 'deliveries', 'whk_none', '--follow']);
  await tries.until('stderr', 'No gateway runs: waiting for one');
  const second = await startGateway({ dataDir: first.dataDir });
  expect(await tries.result).toMatchObject({ status: 1, stderr: expect.stringContaining('not_found: ') });
  await log.until('stderr', 'Ctrl+C ends it');
  const { body } = await send(second, first.demo?.tokens.unified ?? '');
  await log.until('stdout', String(body.data?.messageId));
  log.child.kill('SIGINT');
  expect((await log.result).status).toBe(0);
});
