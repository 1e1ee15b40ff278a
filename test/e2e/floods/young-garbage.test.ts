/** Requests leave little in the old generation, whose collection holds up all others. */
import { expect, inject, test } from 'vitest';
import { findBuilt } from '../../../src/kernel/process/built.js';
import { makeAccount } from '../../support/processes/accounts.ts';
import { ask, operatorTokenOf, send, startDemoGateway } from '../../support/processes/gateway.ts';

const SENDS = 300;

/** A send leaves 4 KiB there; with sets of what is under way, and contexts with accessors of their own, 21. */
const KIBIBYTES_MAX = 8;

/** The build keeps closures of packages young, and the sources do not. PGlite is not built, and keeps what it ran. */
const isLeftOut = findBuilt() === null || inject('testDatabase').kind === 'pglite';

test.skipIf(isLeftOut)('a send leaves little in the old generation (needs a build and PostgreSQL)', async () => {
  const gateway = await startDemoGateway();
  const account = await makeAccount(gateway, 'Quiet');
  const query = `mutation ($id: String!) { adjustBalance(input: { accountId: $id, credits: 100000, reason: "a test" }) { id } }`;
  await ask(gateway, await operatorTokenOf(gateway), query, { id: account.accountId });
  let last = 0;
  const sendAll = async (): Promise<void> => {
    for (let n = 0; n < SENDS / 4; n++)
      await Promise.all(
        [0, 1, 2, 3].map(() => send(gateway, account.token, { reference: `r${last++}`, sender: 'ACME' })),
      );
  };
  const figure = async (name: string): Promise<number> => {
    const lines = (await (await fetch(`${gateway.url}/metrics`)).text()).split('\n');
    return Number(
      lines
        .find(line => line.startsWith(name))
        ?.split(' ')
        .at(-1) ?? 0,
    );
  };
  const old = () => figure('nodejs_heap_space_size_used_bytes{space="old"}');
  const collections = () => figure('nodejs_gc_duration_seconds_count{kind="major"}');
  // Code is compiled, and what is kept is learnt.
  for (let round = 0; round < 2; round++) await sendAll();
  const grown: number[] = [];
  for (let round = 0; grown.length < 3 && round < 12; round++) {
    const [before, collected] = [await old(), await collections()];
    await sendAll();
    const bytes = (await old()) - before;
    // A round in which the old generation was collected says nothing.
    if (bytes > 0 && (await collections()) === collected) grown.push(bytes / 1_024 / SENDS);
  }
  expect(grown).toHaveLength(3);
  expect(grown.toSorted((a, b) => a - b)[1]).toBeLessThan(KIBIBYTES_MAX);
});
