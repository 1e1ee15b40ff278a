import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { overHttp } from '../../../src/cli/gateway/over-http.ts';
import { OPERATIONS } from '../../../src/cli/operations/operations.generated.ts';

/** A gateway whose stream has this event, and ends. */
let server: Server;

const EVENT = {
  data: { result: { id: 'evt_1', event: 'sms.sent', createdAt: '2026-11-24T03:00:00Z', body: '{}' } },
  extensions: { dropped: 12 },
};

beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`:\n\nevent: next\ndata: ${JSON.stringify(EVENT)}\n\n`);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());

test('a command that follows hears how many were left out before it is told the next one', async () => {
  const { port } = server.address() as AddressInfo;
  const heard: unknown[] = [];
  const operator = overHttp({ url: `http://127.0.0.1:${port}`, pid: 1 }, 'op');
  const { signal } = new AbortController();
  const leftOut = (count: number): void => void heard.push(count);
  const events = await operator.follow(OPERATIONS.webhookEventAdded, {}, 'acc_1', { signal, leftOut });
  const follow = async (): Promise<void> => {
    for await (const { id } of events) heard.push(id);
  };
  await expect(follow()).rejects.toThrow('ended the stream');
  expect(heard).toEqual([12, 'evt_1']);
});
