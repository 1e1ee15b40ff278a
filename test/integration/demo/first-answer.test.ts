import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureDemo } from '../../../src/modules/demo/seed-demo.ts';
import { createTestApp, type TestApp } from '../../support/app.ts';

let on: TestApp;

beforeAll(async () => {
  on = await createTestApp();
});
afterAll(() => on.close());

test('a request that comes while the demo account is being made is answered when it can be used', async () => {
  const happened: string[] = [];
  let early: Promise<void> = Promise.resolve();
  await on.app.start(async () => {
    early = fetch(`${on.app.services.home.url()}/readyz`).then(
      ({ status }) => void happened.push(`answered ${status}`),
    );
    await ensureDemo(on.app.makeCtx({ kind: 'operator', account: null }, 'test'));
    happened.push('made');
  });
  await early;
  expect(happened).toEqual(['made', 'answered 200']);
});
