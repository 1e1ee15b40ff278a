import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ctx } from '../../src/context.ts';
import { ensureDemo } from '../../src/modules/accounts/seed-demo.ts';
import { createTestServices, type TestServices } from '../support/services.ts';

let on: TestServices;

beforeAll(async () => {
  on = await createTestServices();
});

afterAll(() => on.close());

function operatorCtx(): Ctx {
  return on.ctxFor({ kind: 'operator', account: null });
}

test('where demo.json cannot be written no account is made that nobody could open, and the next time makes it, once', async () => {
  const ctx = operatorCtx();
  const home = {
    ...ctx.services.home,
    writeDemo: () => {
      throw new Error('the disk is full');
    },
  };
  await expect(ensureDemo({ ...ctx, services: { ...ctx.services, home } })).rejects.toThrow('the disk is full');
  expect(await on.sql('select id from accounts')).toEqual([]);

  const made = await ensureDemo(operatorCtx());
  expect(await ensureDemo(operatorCtx())).toEqual(made);
  expect(await on.sql('select credits from accounts')).toEqual([{ credits: 1_000 }]);
});
