import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';

/** The first process of a namespace, as a container has one. */
const FIRST = ['unshare', '--pid', '--fork', '--kill-child'];

/** Whether such a namespace can be made here; says that its test is left out where it cannot. */
function hasNamespaces(): boolean {
  const isThere = spawnSync('unshare', [...FIRST.slice(1), 'true']).status === 0;
  if (!isThere) process.stdout.write('first-process.test.ts: no namespace of processes can be made here.\n');
  return isThere;
}

it.skipIf(!hasNamespaces())('the first process of a container ends on SIGTERM while it starts', async () => {
  // A database that takes connections and says nothing.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [command = '', ...args] = [...FIRST, process.execPath, join(REPOSITORY, 'src/start.js')];
  const child = spawn(command, args, {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: await makeFolder(),
      SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      DATABASE_URL: `postgres://gateway@127.0.0.1:${port}/gateway`,
      DATABASE_CONNECT_TIMEOUT_MS: '0',
    },
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  const [socket] = await once(server, 'connection');
  const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim();
  process.kill(Number(first), 'SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  expect(await exited).toEqual([0, null]);
  clearTimeout(timer);
  socket.destroy();
  server.close();
});
