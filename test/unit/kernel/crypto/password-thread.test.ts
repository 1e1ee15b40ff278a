import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PasswordLane } from '../../../../src/modules/accounts/sign-in/password-lane.ts';

type Argon2 = typeof import('../../../../src/kernel/crypto/argon2.ts');

const { signal } = new AbortController();
const COST = { memory: 64, passes: 1, parallelism: 1, tagLength: 16 };

let hash: () => Promise<Buffer>;
const threads: Worker[] = [];
const note = (thread: Worker): number => threads.push(thread);

beforeAll(() => void process.on('worker', note));
afterAll(() => void process.off('worker', note));

let tests = 0;

beforeEach(async () => {
  tests += 1;
  // A copy of the module for each test: its thread is none that another test has started.
  const copy = `../../../../src/kernel/crypto/argon2.ts?test=${tests}`;
  const { argon2id }: Argon2 = await import(/* @vite-ignore */ copy);
  hash = () => argon2id({ message: Buffer.from('correct horse'), nonce: Buffer.alloc(16), ...COST });
  await hash();
});

afterEach(() => Promise.all(threads.splice(0).map(thread => thread.terminate())));

describe.each([
  ['is ended', ([thread]: Worker[]) => void thread?.terminate(), /The thread of passwords has ended/],
  ['fails', ([thread]: Worker[]) => thread?.postMessage(null), /Cannot destructure/],
])('a thread of passwords that %s', { timeout: 20_000 }, (_how, kill, why) => {
  test('refuses who waits for it, and the next has a new one', async () => {
    const tag = await hash();
    kill(threads);
    for (const asked of await Promise.allSettled([hash(), hash()]))
      expect(asked).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(why) } });
    expect(await hash()).toEqual(tag);
    expect(threads).toHaveLength(2);
  });

  test('is followed by a new one where nobody waited', async () => {
    const ended = new Promise(resolve => threads[0]?.once('exit', resolve));
    kill(threads);
    await ended;
    expect(await hash()).toHaveLength(COST.tagLength);
  });

  test('leaves the places of a lane free', async () => {
    const lane = new PasswordLane({ waitingMax: 1, perSecond: 1_000, burst: 1_000 });
    const enter = () => lane.run({ person: 'a', shared: [] }, signal, hash);
    kill(threads);
    const [first] = await Promise.allSettled([enter(), enter()]);
    expect(first?.status).toBe('rejected');
    expect(await Promise.all([enter(), enter()])).toHaveLength(2);
  });
});
