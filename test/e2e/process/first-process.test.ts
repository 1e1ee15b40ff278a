import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../support/processes/gateway.ts';
import { canUnshare, IN_NAMESPACE } from '../../support/processes/namespaces.ts';
import { REPOSITORY } from '../../support/repository.ts';

it.skipIf(!canUnshare())('the first process of a container ends on SIGTERM while it starts', async () => {
  // A database that takes connections and says nothing.
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const [command = '', ...args] = [...IN_NAMESPACE, process.execPath, join(REPOSITORY, 'src/start.js')];
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
