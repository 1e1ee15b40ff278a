import { describe, expect, test } from 'vitest';
import { PasswordLane } from '../../../src/modules/accounts/sign-in/password-lane.ts';

const { signal } = new AbortController();

/** A lane in which nobody rests, work that goes on until it is released, and how many are at work. */
function busyLane(waitingMax: number) {
  const lane = new PasswordLane({ waitingMax, perSecond: 1_000, burst: 1_000 });
  const release = Promise.withResolvers<void>();
  const atWork = { now: 0, most: 0 };
  const enter = (...keys: string[]) =>
    lane.run(keys, signal, async () => {
      atWork.now += 1;
      atWork.most = Math.max(atWork.most, atWork.now);
      await release.promise;
      atWork.now -= 1;
      return 'done';
    });
  return { lane, enter, release: () => release.resolve(), atWork };
}

const REFUSED = {
  code: 'rate_limited',
  message: 'Too many passwords are being checked. Try again in 2 seconds.',
  details: { retryAfter: 2 },
};

describe('a lane of passwords', () => {
  test('works on one at a time', async () => {
    const { enter, release, atWork } = busyLane(4);
    const all = Promise.all([enter('a'), enter('b'), enter('c')]);
    release();
    expect(await all).toEqual(['done', 'done', 'done']);
    expect(atWork.most).toBe(1);
  });

  test('refuses who finds no place, before anything is done', async () => {
    const { enter, release } = busyLane(4);
    const first = enter('0');
    await Promise.resolve();
    const waiting = Array.from({ length: 4 }, (_, index) => enter(`${index + 1}`));
    await expect(enter('late')).rejects.toMatchObject(REFUSED);
    release();
    expect(await Promise.all([first, ...waiting])).toHaveLength(5);
    expect(await enter('late')).toBe('done');
  });

  test.each([
    ['a person', ['person a', 'address 1', 'network 1'], ['person a', 'address 2', 'network 2']],
    ['an address', ['person a', 'address 1', 'network 1'], ['person b', 'address 1', 'network 2']],
    ['a network', ['person a', 'address 1', 'network 1'], ['person b', 'address 2', 'network 1']],
  ])('has two places for %s', async (_whom, keys, others) => {
    const { enter, release } = busyLane(100);
    const two = [enter(...keys), enter(...keys)];
    await expect(enter(...others)).rejects.toMatchObject(REFUSED);
    const apart = enter('person c', 'address 3', 'network 3');
    release();
    expect(await Promise.all([...two, apart])).toHaveLength(3);
    expect(await enter(...others)).toBe('done');
  });

  test('gives the place back where the work fails', async () => {
    const { lane } = busyLane(4);
    const fail = () => lane.run(['a'], signal, () => Promise.reject(new Error('broken')));
    for (let times = 0; times < 5; times++) await expect(fail()).rejects.toThrow('broken');
  });

  test('does nothing for who has gone', async () => {
    const { lane } = busyLane(4);
    const gone = AbortSignal.abort(new Error('gone'));
    let worked = false;
    const work = async () => {
      worked = true;
    };
    await expect(lane.run(['a'], gone, work)).rejects.toThrow('gone');
    expect(worked).toBe(false);
  });
});
