import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Sends } from '../../../../src/kernel/process/gives-way.ts';
import { createAdmission } from '../../../../src/rest/overload/admission.ts';
import { ConcurrencyLimit } from '../../../../src/rest/overload/concurrency-limit.ts';
import { serveReceipts } from '../../../../src/rest/receipts.ts';
import { type Connection, listen } from '../../../../src/rest/server/listen.ts';
import { setUpApp } from '../../../support/fixtures.ts';
import { OPERATOR } from '../../../support/services.ts';

/** How many reports come at once: more than have places, and more than are worked on. */
const FLOOD = 200;

const on = setUpApp();

/** A server with eight places, at which reports are worked on until they are released. */
async function serve(ownerOf: () => string | null = () => null, sends = new Sends()) {
  const release = Promise.withResolvers<string | null>();
  const atWork = { now: 0, most: 0 };
  const app = new Hono<{ Bindings: Connection; Variables: { requestId: string } }>();
  app.use((context, next) => {
    context.set('requestId', 'req_1');
    return next();
  });
  serveReceipts(app, {
    takeReports: async () => {
      atWork.most = Math.max(atWork.most, ++atWork.now);
      const taken = await release.promise;
      atWork.now -= 1;
      return taken;
    },
    ownerOf,
    sends,
    makeCtx: () => on.app.makeCtx(OPERATOR, 'test'),
  });
  app.get('/other', context => context.text('here'));
  const { metrics } = on.app.services;
  const admission = createAdmission({ limit: new ConcurrencyLimit(8), metrics, styleOf: () => 'problem' });
  const fetch = (request: Request, connection: Connection) => app.fetch(request, connection);
  const listener = await listen(fetch, { host: '127.0.0.1', port: 0, admission });
  onTestFinished(async () => {
    release.resolve('');
    await listener.drain(1_000);
  });
  return { release, atWork, ask: async (path: string) => (await globalThis.fetch(`${listener.url}${path}`)).status };
}

describe('a flood of reports', () => {
  test('leaves places to other requests, few are worked on at once, and all are answered', async () => {
    const { ask, release, atWork } = await serve();
    const flood = Promise.all(Array.from({ length: FLOOD }, () => ask('/receipts/con_1/token')));
    await expect.poll(() => atWork.now).toBe(24);
    expect(await ask('/other')).toBe(200);
    release.resolve('');
    expect(new Set(await flood)).toEqual(new Set([200]));
    expect(atWork).toEqual({ now: 0, most: 24 });
  });

  test('by the connection of an account leaves time to the sends of others', async () => {
    const sends = new Sends();
    const { ask, release, atWork } = await serve(() => 'acc_1', sends);
    // All the time, however long the test takes.
    const isAnySending = vi.spyOn(sends, 'isAnySending').mockReturnValue(true);
    const flood = Promise.all(Array.from({ length: FLOOD }, () => ask('/receipts/con_1/token')));
    await expect.poll(() => atWork.now).toBe(12);
    expect(await ask('/other')).toBe(200);
    expect(atWork.most).toBe(12);
    expect(isAnySending.mock.calls.flat()).toContain('acc_1');
    release.resolve('');
    expect(new Set(await flood)).toEqual(new Set([200]));
  });

  test('by the connection of an account waits for no send of its own', async () => {
    const sends = new Sends();
    const { ask, release, atWork } = await serve(() => 'acc_1', sends);
    sends.noteSend('acc_1');
    const flood = Promise.all(Array.from({ length: FLOOD }, () => ask('/receipts/con_1/token')));
    await expect.poll(() => atWork.now).toBe(24);
    release.resolve('');
    await flood;
  });
});
