import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { ask, follow } from '../../../src/dashboard/app/api/ask.ts';
import { ViewerDocument, WebhookTriesDocument } from '../../../src/dashboard/app/api/operations.generated.ts';

afterEach(() => vi.unstubAllGlobals());

/** Asks a server that answers so. `onBegun` is called when the answer begins to come. */
async function askOne(
  answer: RequestListener,
  signal?: AbortSignal,
  onBegun: () => void = () => undefined,
): Promise<unknown> {
  const server = createServer(answer);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { fetch } = globalThis;
  const { port } = server.address() as AddressInfo;
  // A page asks where it comes from.
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    const response = await fetch(new URL(path, `http://127.0.0.1:${port}`), init);
    onBegun();
    return response;
  });
  try {
    return await ask(ViewerDocument, {}, signal);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const BEGIN = '{"data":{"viewer":';

test('an answer that is no JSON is of something between', async () => {
  const asked = askOne((_request, response) => response.writeHead(502).end('<html>'));
  await expect(asked).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'The answer was HTTP 502 and no JSON: something between you and the gateway answered.',
  });
});

test('an answer that is cut is told as such', async () => {
  const asked = askOne((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write(BEGIN, () => response.destroy());
  });
  await expect(asked).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'The gateway does not answer. Check that it runs and that you are online.',
  });
});

test('an answer that nobody waits for any more is no failure', async () => {
  const abort = new AbortController();
  const begin: RequestListener = (_request, response) => void response.writeHead(200).write(BEGIN);
  const asked = askOne(begin, abort.signal, () => abort.abort());
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
});

test('an answer that takes too long is none', async () => {
  const asked = askOne((_request, response) => void response.writeHead(200).write(BEGIN), AbortSignal.timeout(200));
  await expect(asked).rejects.toMatchObject({
    code: 'UNREACHABLE',
    message: 'The gateway does not answer. Check that it runs and that you are online.',
  });
});

test('a line that says nothing for half a minute is opened again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const end = new AbortController();
  const told: string[] = [];
  const opened = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const lost = Promise.withResolvers<void>();
  vi.stubGlobal('fetch', async (_path: string, { signal }: RequestInit) => {
    const body = new ReadableStream({
      start: controller => {
        // A sign of life, and nothing more.
        controller.enqueue(new TextEncoder().encode(':\n\n'));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
      cancel: () => void told.push('cancelled'),
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const follower = {
    tell: () => undefined,
    opened: () => opened[told.push('opened') === 1 ? 0 : 1]?.resolve(),
    lost: () => {
      told.push('lost');
      lost.resolve();
    },
  };
  const following = follow(WebhookTriesDocument, { endpointId: 'whe_1' }, follower, end.signal);
  await opened[0]?.promise;
  await vi.advanceTimersByTimeAsync(30_000);
  await lost.promise;
  await vi.advanceTimersByTimeAsync(5_000);
  await opened[1]?.promise;
  expect(told).toEqual(['opened', 'cancelled', 'lost', 'opened']);
  end.abort();
  await following;
  vi.useRealTimers();
});
