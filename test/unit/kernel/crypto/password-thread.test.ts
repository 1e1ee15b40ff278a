import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { PasswordLane } from '../../../../src/modules/accounts/sign-in/password-lane.ts';

const { signal } = new AbortController();

let passwords: typeof import('../../../../src/kernel/crypto/secrets.ts');
const threads: Worker[] = [];
const note = (thread: Worker): number => threads.push(thread);

beforeAll(() => void process.on('worker', note));
afterAll(() => void process.off('worker', note));

beforeEach(async () => {
  // With a thread of its own, and none that another test has started.
  vi.resetModules();
  passwords = await import('../../../../src/kernel/crypto/secrets.ts');
  await passwords.hashPassword('correct horse');
});

afterEach(() => Promise.all(threads.splice(0).map(thread => thread.terminate())));

describe.each([
  ['is ended', ([thread]: Worker[]) => void thread?.terminate(), /The thread of passwords has ended/],
  ['fails', ([thread]: Worker[]) => thread?.postMessage(null), /Cannot destructure/],
])('a thread of passwords that %s', { timeout: 20_000 }, (_how, kill, why) => {
  test('refuses who waits for it, and the next has a new one', async () => {
    const stored = await passwords.hashPassword('correct horse');
    kill(threads);
    const waiting = [passwords.hashPassword('a'), passwords.verifyPassword('correct horse', stored)];
    for (const asked of await Promise.allSettled(waiting))
      expect(asked).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(why) } });
    expect(await passwords.verifyPassword('correct horse', stored)).toBe(true);
  });

  test('is followed by a new one where nobody waited', async () => {
    const ended = new Promise(resolve => threads[0]?.once('exit', resolve));
    kill(threads);
    await ended;
    expect(await passwords.hashPassword('a')).toContain('$argon2id$');
  });

  test('leaves the places of a lane free', async () => {
    const lane = new PasswordLane({ waitingMax: 1, perSecond: 1_000, burst: 1_000 });
    const enter = () => lane.run({ person: 'a', shared: [] }, signal, () => passwords.hashPassword('a'));
    kill(threads);
    const [first] = await Promise.allSettled([enter(), enter()]);
    expect(first?.status).toBe('rejected');
    expect(await Promise.all([enter(), enter()])).toHaveLength(2);
  });
});
