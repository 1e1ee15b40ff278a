import { expect, test } from 'vitest';
import { ensureDemo } from '../../../src/modules/demo/seed-demo.ts';
import { setUpApp } from '../../support/fixtures.ts';

const on = setUpApp();

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
