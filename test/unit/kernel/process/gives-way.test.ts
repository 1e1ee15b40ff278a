import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Lane, type LaneBounds, Sends } from '../../../../src/kernel/process/gives-way.ts';

const BOUNDS: LaneBounds = { alone: 3, besideSends: 1, toOwnSends: true, share: 1 / 5, waitingMax: 5 };
const ONE = { name: 'one', accountId: 'acc_1' };
const TWO = { name: 'two', accountId: 'acc_2' };

let nowMs: number;
let sends: Sends;
let begun: string[];
let ends: Map<string, () => void>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  nowMs = 0;
  sends = new Sends(() => nowMs);
  begun = [];
  ends = new Map();
});
afterEach(() => void vi.useRealTimers());

function laneOf(bounds: Partial<LaneBounds> = {}): Lane {
  return new Lane(sends, { ...BOUNDS, ...bounds }, () => nowMs);
}

/** Begins work that runs until it is ended. */
function begin(lane: Lane, name: string, client = ONE): Promise<string> {
  return lane.run(client, async () => {
    begun.push(name);
    await new Promise<void>(resolve => ends.set(name, resolve));
    return name;
  });
}

/** Ends work after so many milliseconds. */
async function end(name: string, afterMs = 0): Promise<void> {
  nowMs += afterMs;
  ends.get(name)?.();
  await vi.advanceTimersByTimeAsync(0);
}

async function pass(ms: number): Promise<void> {
  nowMs += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

describe('sends', () => {
  test('are noticed for a second', () => {
    sends.noteSend('acc_1');
    nowMs = 999;
    expect(sends.isAnySending(null)).toBe(true);
    nowMs = 1_000;
    expect(sends.isAnySending(null)).toBe(false);
  });

  test('of an account alone are not those of others', () => {
    sends.noteSend('acc_1');
    expect(sends.isAnySending('acc_1')).toBe(false);
    expect(sends.isAnySending('acc_2')).toBe(true);
  });

  test('of others are noticed beside the own ones, in any order', () => {
    for (const accountId of ['acc_1', 'acc_2', 'acc_2', 'acc_1', 'acc_1']) sends.noteSend(accountId);
    for (const except of ['acc_1', 'acc_2']) expect(sends.isAnySending(except)).toBe(true);
    nowMs = 500;
    sends.noteSend('acc_1');
    nowMs = 1_200;
    expect(sends.isAnySending('acc_1')).toBe(false);
    expect(sends.isAnySending('acc_2')).toBe(true);
  });
});

describe('while nobody sends, a lane', () => {
  test('runs as much as its bound says, and begins the next as soon as one ends', async () => {
    const lane = laneOf();
    const all = ['a', 'b', 'c', 'd'].map(name => begin(lane, name));
    expect(begun).toEqual(['a', 'b', 'c']);
    await end('b', 10);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    for (const name of ['a', 'c', 'd']) await end(name);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('beside sends, a lane', () => {
  /** Somebody sends all the time, and the client has run for as long as it may without a rest. */
  const spent = async (bounds: Partial<LaneBounds> = {}): Promise<Lane> => {
    vi.spyOn(sends, 'isAnySending').mockReturnValue(true);
    const lane = laneOf(bounds);
    void begin(lane, 'burst');
    // 50 ms, and a fifth of the 62.5 ms that pass.
    await end('burst', 62.5);
    expect(begun.splice(0)).toEqual(['burst']);
    return lane;
  };

  test('runs what one client wants one after the other, without a rest at first', async () => {
    vi.spyOn(sends, 'isAnySending').mockReturnValue(true);
    const lane = laneOf();
    for (const name of ['a', 'b', 'c']) void begin(lane, name);
    expect(begun).toEqual(['a']);
    await end('a', 10);
    await end('b', 10);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  test('then gives it a fifth of the time', async () => {
    const lane = await spent();
    void begin(lane, 'a');
    void begin(lane, 'b');
    await end('a', 10);
    await pass(39);
    expect(begun).toEqual(['a']);
    await pass(1);
    expect(begun).toEqual(['a', 'b']);
  });

  test('rests no longer than a tenth of a second', async () => {
    const lane = await spent();
    void begin(lane, 'a');
    void begin(lane, 'b');
    await end('a', 60_000);
    await pass(100);
    expect(begun).toEqual(['a', 'b']);
  });

  test('lets who comes during a rest wait for its end', async () => {
    const lane = await spent();
    void begin(lane, 'a');
    await end('a', 10);
    void begin(lane, 'b');
    expect(begun).toEqual(['a']);
    await pass(40);
    expect(begun).toEqual(['a', 'b']);
  });

  test('takes who was away for long as who comes for the first time, and who was not as before', async () => {
    const lane = await spent();
    await pass(250);
    void begin(lane, 'other', TWO);
    for (const name of ['a', 'b']) void begin(lane, name);
    await end('a', 50);
    expect(begun).toEqual(['other', 'a', 'b']);
    await end('b', 20);
    void begin(lane, 'another', { name: 'three', accountId: 'acc_3' });
    void begin(lane, 'c');
    expect(begun).toEqual(['other', 'a', 'b', 'another']);
  });

  test('makes no client wait for another', async () => {
    const lane = await spent();
    void begin(lane, 'a');
    void begin(lane, 'b', TWO);
    expect(begun).toEqual(['a', 'b']);
  });

  test('rests after as many as run at once, though the next come while some of them still run', async () => {
    const lane = await spent({ besideSends: 2 });
    for (const name of ['a', 'b', 'c']) void begin(lane, name);
    await end('a', 10);
    expect(begun).toEqual(['a', 'b']);
    await end('b', 10);
    await pass(79);
    expect(begun).toEqual(['a', 'b']);
    await pass(1);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  test('tells who waits, and refuses who is too much', async () => {
    const lane = await spent({ waitingMax: 1 });
    const onWait = vi.fn();
    void begin(lane, 'a');
    void lane.run(ONE, () => 'b', onWait);
    expect(onWait).toHaveBeenCalledOnce();
    await expect(begin(lane, 'c')).rejects.toMatchObject({ code: 'rate_limited', details: { retryAfter: 1 } });
  });

  test('goes on after work that failed', async () => {
    const lane = await spent();
    await expect(lane.run(ONE, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    void begin(lane, 'a');
    await pass(0);
    expect(begun).toEqual(['a']);
  });
});

test('an account that gives way to others only does not rest beside its own sends', async () => {
  const lane = laneOf({ toOwnSends: false });
  sends.noteSend('acc_1');
  for (const name of ['a', 'b']) void begin(lane, name);
  expect(begun).toEqual(['a', 'b']);
  sends.noteSend('acc_2');
  void begin(lane, 'c');
  expect(begun).toEqual(['a', 'b']);
});

test('what waits beside sends begins when nobody sends any more', async () => {
  const lane = laneOf();
  sends.noteSend('acc_2');
  for (const name of ['a', 'b', 'c']) void begin(lane, name);
  expect(begun).toEqual(['a']);
  await end('a', 2_000);
  expect(begun).toEqual(['a', 'b', 'c']);
});
