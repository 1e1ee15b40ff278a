import { describe, expect, test } from 'vitest';
import { BUFFER_SIZE_MAX, type FeedRow, Subscription } from '../../../src/db/feeds/subscription.ts';
import { newId } from '../../../src/kernel/ids.ts';

const accountId = newId('acc');

function makeRow(ofAccount = accountId): FeedRow {
  return { id: newId('att'), accountId: ofAccount };
}

function follow(signal = new AbortController().signal, matches: () => boolean = () => true) {
  const ended: Subscription<FeedRow>[] = [];
  const leftOut: number[] = [];
  const interest = { accountId, matches, onLeftOut: (count: number) => leftOut.push(count) };
  const subscription = new Subscription<FeedRow>(interest, signal, {
    since: new Date(),
    onEnd: which => ended.push(which),
  });
  return { subscription, ended, leftOut };
}

describe('a follower of a feed', () => {
  test('gets the waiting rows in order, and then the new ones', async () => {
    const { subscription } = follow();
    const [first, second, third] = [makeRow(), makeRow(), makeRow()];
    subscription.push(first);
    subscription.push(second);
    expect((await subscription.next()).value).toBe(first);
    expect((await subscription.next()).value).toBe(second);
    const next = subscription.next();
    subscription.push(third);
    expect((await next).value).toBe(third);
  });

  test('gets no rows of another account, and none that its filter refuses', async () => {
    const { subscription } = follow();
    const unwanted = follow(undefined, () => false).subscription;
    subscription.push(makeRow(newId('acc')));
    unwanted.push(makeRow());
    await Promise.all([subscription.return(), unwanted.return()]);
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
    expect(await unwanted.next()).toEqual({ done: true, value: undefined });
  });

  test('that is too slow gets the newest rows, told before the first of them how many were left out', async () => {
    const { subscription, ended, leftOut } = follow();
    const rows = Array.from({ length: BUFFER_SIZE_MAX + 3 }, () => makeRow());
    for (const row of rows) subscription.push(row);
    expect(leftOut).toEqual([]);
    expect((await subscription.next()).value).toBe(rows[3]);
    expect(leftOut).toEqual([3]);
    for (const row of rows.slice(4)) expect((await subscription.next()).value).toBe(row);
    expect([leftOut, ended]).toEqual([[3], []]);
  });

  test('gets the waiting rows before the error of the feed, once, and then the end', async () => {
    const { subscription } = follow();
    const row = makeRow();
    subscription.push(row);
    subscription.fail(new Error('gone'));
    expect((await subscription.next()).value).toBe(row);
    await expect(subscription.next()).rejects.toThrow('gone');
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
  });

  test('gets no waiting row once it is ended with an error', async () => {
    const { subscription } = follow();
    subscription.push(makeRow());
    const waiting = subscription.next();
    subscription.end(new Error('refused'));
    await expect(waiting).rejects.toThrow('refused');
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
  });

  test('rejects a waiting read when the feed fails', async () => {
    const { subscription } = follow();
    const waiting = [subscription.next(), subscription.next()];
    subscription.fail(new Error('gone'));
    const [first, second] = await Promise.allSettled(waiting);
    expect(first).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
    expect(second).toMatchObject({ status: 'fulfilled', value: { done: true } });
  });

  test('ends every waiting read when the signal aborts, and calls back once', async () => {
    const controller = new AbortController();
    const { subscription, ended } = follow(controller.signal);
    const waiting = [subscription.next(), subscription.next()];
    controller.abort();
    await subscription.return();
    expect(await Promise.all(waiting)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(ended).toEqual([subscription]);
  });

  test('resolves return only after its cleanup', async () => {
    const cleared = Promise.withResolvers<void>();
    const interest = { accountId, matches: () => true, onEnd: () => cleared.promise };
    const subscription = new Subscription<FeedRow>(interest, new AbortController().signal, {
      since: new Date(),
      onEnd: () => undefined,
    });
    let isReturned = false;
    const returned = subscription.return().then(() => {
      isReturned = true;
    });
    await subscription.next();
    expect(isReturned).toBe(false);
    cleared.resolve();
    await returned;
    expect(isReturned).toBe(true);
  });

  test('ends at once if the signal is aborted already', async () => {
    const { subscription, ended } = follow(AbortSignal.abort());
    expect(subscription.isEnded).toBe(true);
    expect(ended).toEqual([subscription]);
    expect(await subscription.next()).toEqual({ done: true, value: undefined });
  });
});
