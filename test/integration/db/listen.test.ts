import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { postgresListen } from '../../../src/db/feeds/listen.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a listener that never came to listen fails once, and is not tried again behind the back of its caller', async () => {
  let connections = 0;
  const server = createServer(socket => {
    connections += 1;
    socket.once('data', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const listen = postgresListen({ url: `postgres://someone@127.0.0.1:${port}/main` });
  await expect(
    listen(
      'heliograph_log',
      () => undefined,
      () => undefined,
    ),
  ).rejects.toThrow(/terminated|ended|ECONNRESET/i);
  server.close();
  await once(server, 'close');
  // Nothing waits to connect again.
  expect(vi.getTimerCount()).toBe(0);
  expect(connections).toBe(1);
});
