/** Marks: recovery looks for messages from the lowest one on, so that none may be above what is under way. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { newId, toUuid, uuidFloor } from '../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { markOf } from '../../../src/modules/routing/recovery/marks.ts';
import { SET_MARK, TAKE_OVERDUE_MESSAGES } from '../../../src/modules/routing/recovery/recover.sql.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { setUpAccount, setUpServices } from '../../support/fixtures.ts';
import { mark, putUnderWay } from '../../support/messaging/put-under-way.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { OPERATOR } from '../../support/services.ts';

const t = setUpServices({ sandbox: { keepArrival: async () => undefined } });
const account = setUpAccount(t);

beforeEach(async () => {
  await t.sql('delete from routing_marks');
  await t.sql('delete from messages');
});
afterEach(() => vi.restoreAllMocks());

const send = () =>
  sendMessage(t.ctxFor(account.actor('unified')), { to: newPhone(), text: 'Hello', channels: ['sms'], sender: 'ACME' });

/** Makes messages one after the other, and answers their uuids in the order of these. */
async function sent(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push(toUuid((await send()).id));
  return ids.sort();
}

const putBack = (uuid: string, lease: 'over' | 'held' = 'over') =>
  putUnderWay(t.sql, `msg_${uuid.replaceAll('-', '')}`, lease);

function passTime(ms: number): void {
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + ms);
}

const storedMarks = async () =>
  (await t.sql<{ oldest: string }>('select oldest from routing_marks order by oldest')).map(({ oldest }) => oldest);

/** Takes what is overdue, `lookSize` messages at a look, as a round of recovery does. */
async function takeAll(lookSize: number): Promise<string[]> {
  const taken: string[] = [];
  for (let from: string | null = null; ; ) {
    const by = await t.database.clock.in(60_000);
    const rows: { id: string; lease: string | null }[] = await TAKE_OVERDUE_MESSAGES.run(t.database.sql(), {
      from,
      lookSize,
      leaseSeconds: 15,
      limit: 1_000,
      but: [],
      by,
    });
    for (const { id, lease } of rows) if (lease !== null) taken.push(id);
    from = rows.find(({ lease }) => lease === null)?.id ?? null;
    if (from === null) return taken.sort();
  }
}

describe('the mark of a process', () => {
  test('is below a message before that is accepted, and above what is over', async () => {
    const [first = ''] = await sent(1);
    const id = newId('msg');
    const marks = markOf(t.database);
    await marks.begin(id);
    await marks.raise();
    const [oldest = ''] = await storedMarks();
    expect(oldest > first).toBe(true);
    expect(oldest <= toUuid(id)).toBe(true);
    marks.end(id);
  });

  test('stays below a message that this process has to finish', async () => {
    const id = `msg_${uuidFloor(new Date(Date.now() - 1_000)).replaceAll('-', '')}`;
    const marks = markOf(t.database);
    marks.keep(id);
    await marks.raise();
    expect(await storedMarks()).toEqual([toUuid(id)]);
    marks.forget(id);
    await marks.raise();
    const [oldest = ''] = await storedMarks();
    expect(oldest > toUuid(id)).toBe(true);
  });

  test('goes down before a message is accepted whose id is lower, as after a clock was set back', async () => {
    const marks = markOf(t.database);
    await marks.raise();
    const before = `msg_${uuidFloor(new Date(Date.now() - 3_600_000)).replaceAll('-', '')}`;
    await marks.begin(before);
    const [oldest = ''] = await storedMarks();
    expect(oldest <= toUuid(before)).toBe(true);
    marks.end(before);
  });

  test('is raised by the messages of a process that has no worker', async () => {
    const [first = ''] = await sent(1);
    const marks = markOf(t.database);
    await marks.raise();
    const [before = ''] = await storedMarks();
    passTime(10_001);
    const id = newId('msg');
    // The send does not wait: the mark is low enough.
    expect(marks.begin(id)).toBeNull();
    vi.restoreAllMocks();
    await marks.raise();
    const [after = ''] = await storedMarks();
    expect(after > before && after > first).toBe(true);
    marks.end(id);
  });

  test('waits to be stored where other processes may have forgotten it', async () => {
    const marks = markOf(t.database);
    await marks.raise();
    await t.sql('delete from routing_marks');
    passTime(30_001);
    const id = newId('msg');
    const begun = marks.begin(id);
    vi.restoreAllMocks();
    expect(begun).not.toBeNull();
    await begun;
    expect(await storedMarks()).toHaveLength(1);
    marks.end(id);
  });

  test('takes over what a process had under way that is gone, and forgets that one', async () => {
    const [left = '', ...others] = await sent(3);
    await putBack(left);
    await t.sql(`update routing_marks set seen_at = now() - interval '61 seconds'`);
    await markOf(t.database).raise();
    expect(await storedMarks()).toEqual([left]);
    expect(others.every(id => id > left)).toBe(true);
    expect(await recoverSends(t.ctxFor(OPERATOR), MESSAGE)).toBe(1);
  });

  test('passes by so many messages at a time, and none that is under way', async () => {
    const ids = await sent(7);
    await putBack(ids[5] ?? '', 'held');
    await t.sql('delete from routing_marks');
    await mark(t.sql, `msg_${(ids[0] ?? '').replaceAll('-', '')}`);
    const process = randomUUID();
    await t.sql('update routing_marks set process = $1', [process]);
    const oldestBegun = uuidFloor(new Date(Date.now() + 1_000));
    // Each look begins at the one where the former ended.
    const seen: string[] = [];
    for (let look = 0; look < 5; look++) {
      const row = await SET_MARK.first(t.database.sql(), { process, oldestBegun, lookSize: 3 });
      seen.push(row?.oldest ?? '');
    }
    expect(seen).toEqual([ids[2], ids[4], ids[5], ids[5], ids[5]]);
  });
});

describe('recovery', () => {
  // Looking at one at a time would end at the one that it began with.
  test.each([2, 3, 100])('finds everything that is overdue, looking at %i messages at a time', async lookSize => {
    const ids = await sent(6);
    const overdue = [ids[0] ?? '', ids[3] ?? '', ids[5] ?? ''];
    for (const id of overdue) await putBack(id);
    await putBack(ids[2] ?? '', 'held');
    expect(await takeAll(lookSize)).toEqual(overdue);
  });

  test('finds nothing below the lowest mark, which is why no mark may be too high', async () => {
    const [left = ''] = await sent(2);
    await putBack(left);
    await t.sql('update routing_marks set oldest = $1', [uuidFloor(new Date(Date.now() + 60_000))]);
    expect(await takeAll(100)).toEqual([]);
  });
});
