import { describe, expect, test } from 'vitest';
import { PasswordLane } from '../../../src/modules/accounts/sign-in/password-lane.ts';

const { signal } = new AbortController();

const A = { person: 'a', shared: [] };

/** A lane in which nobody rests, work that goes on until it is released, and how many are at work. */
function busyLane(waitingMax: number) {
  const lane = new PasswordLane({ waitingMax, perSecond: 1_000, burst: 1_000 });
  const release = Promise.withResolvers<void>();
  const atWork = { now: 0, most: 0 };
  const enter = (person: string, ...shared: string[]) =>
    lane.run({ person, shared }, signal, async () => {
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
    ['two places for a person', 2, ['person a', 'address 1'], ['person a', 'address 2']],
    ['six for an address', 6, null, ['person z', 'address 1']],
    ['six for a network', 6, null, ['person z', 'address 9', 'network 1']],
  ])('has %s', async (_what, most, same, late) => {
    const { enter, release } = busyLane(100);
    const inside = Array.from({ length: most }, (_, index) =>
      enter(...((same ?? [`person ${index}`, `address ${late.length === 2 ? 1 : index}`, 'network 1']) as [string])),
    );
    await expect(enter(...(late as [string]))).rejects.toMatchObject(REFUSED);
    const apart = enter('person c', 'address 30', 'network 3');
    release();
    expect(await Promise.all([...inside, apart])).toHaveLength(most + 1);
    expect(await enter(...(late as [string]))).toBe('done');
  });

  test('takes a turn from nobody for work that ends before it computes', async () => {
    const lane = new PasswordLane({ waitingMax: 100, perSecond: 1 / 3_600, burst: 1 });
    const computed = lane.run(A, signal, async turn => {
      await turn();
      return 'computed';
    });
    expect(await computed).toBe('computed');
    // The next turn would be an hour away.
    for (let times = 0; times < 50; times++) expect(await lane.run(A, signal, async () => 'refused')).toBe('refused');
  });

  test('gives the place back where the work fails', async () => {
    const { lane } = busyLane(4);
    const fail = () => lane.run(A, signal, () => Promise.reject(new Error('broken')));
    for (let times = 0; times < 5; times++) await expect(fail()).rejects.toThrow('broken');
  });

  test('does nothing for who has gone', async () => {
    const { lane } = busyLane(4);
    const gone = AbortSignal.abort(new Error('gone'));
    let worked = false;
    const work = async () => {
      worked = true;
    };
    await expect(lane.run(A, gone, work)).rejects.toThrow('gone');
    expect(worked).toBe(false);
  });
});
