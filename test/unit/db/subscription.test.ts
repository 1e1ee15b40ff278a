import { describe, expect, test } from 'vitest';
import { BUFFER_SIZE_MAX, type FeedRow, Subscription } from '../../../src/db/feeds/subscription.ts';
import { newId } from '../../../src/kernel/ids.ts';

const accountId = newId('acc');

function makeRow(ofAccount = accountId): FeedRow {
  return { id: newId('att'), accountId: ofAccount };
}

function follow(signal = new AbortController().signal, matches: () => boolean = () => true) {
  const ended: Subscription<FeedRow>[] = [];
  const subscription = new Subscription<FeedRow>({ accountId, matches }, signal, 'Too slow.', which =>
    ended.push(which),
  );
  return { subscription, ended };
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

  test('that is too slow gets the waiting rows, then the error once, then the end', async () => {
    const { subscription, ended } = follow();
    for (let count = 0; count <= BUFFER_SIZE_MAX; count++) subscription.push(makeRow());
    expect(ended).toEqual([subscription]);
    subscription.push(makeRow());
    for (let count = 0; count < BUFFER_SIZE_MAX; count++) expect((await subscription.next()).done).toBe(false);
    await expect(subscription.next()).rejects.toMatchObject({ code: 'overloaded' });
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
    const subscription = new Subscription<FeedRow>(
      interest,
      new AbortController().signal,
      'Too slow.',
      () => undefined,
    );
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
