import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Inbound } from '../../../src/channels/contract.ts';
import { newUuid, toUuid } from '../../../src/kernel/ids.ts';
import { findPerson, markRead } from '../../../src/modules/conversations/find-people.ts';
import { addNote } from '../../../src/modules/conversations/manage-notes.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { learnPeople } from '../../../src/modules/people/learn-people.ts';
import { NOTE_MESSAGES } from '../../../src/modules/people/people.sql.ts';
import { listSuppressions, suppress, unsuppress } from '../../../src/modules/suppressions/manage-suppressions.ts';
import { openSuppressed } from '../../../src/modules/suppressions/suppressed-table.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { besideLocks, LOCK_WAITS, type Locking } from '../../support/databases/lock-order.ts';
import { setUpOtherProcess, setUpServices } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount, OPERATOR, type TestAccount } from '../../support/services.ts';

const t = setUpServices();
let account: TestAccount;
let number: string;
let userId: string;

beforeEach(async () => {
  account = await makeAccount(t.services);
  number = newPhone().replace('+', '');
  userId = `US.${number.split('').reverse().join('')}`;
});

const reader = () => t.ctxFor(account.actor('management'));

/** Writes as a person of a chat does whom the provider knows by what is given, to this account. */
const write = (more: Partial<Inbound>) =>
  receiveInbound(
    t.ctxFor(OPERATOR),
    { id: null, accountId: account.accountId, providerId: 'chat', channel: 'chat_cloud' },
    [{ providerMessageId: null, from: number, to: '15550000002', type: 'text', text: 'Hello', ...more }],
  );

const suppressed = async () =>
  (await listSuppressions(reader(), {})).rows.map(({ person, origin }) => `${person} ${origin}`).sort();

const isRefused = (person: string): boolean => t.services.suppressed.has(account.accountId, person);

describe('a person', () => {
  test('who writes by a number is known by it', async () => {
    const [received] = await write({ username: 'Ada' });
    expect(await findPerson(reader(), `+${number}`)).toMatchObject({
      id: expect.stringMatching(/^prs_/),
      to: number,
      name: 'Ada',
      addresses: [
        {
          value: number,
          kind: 'number',
          channel: 'chat_cloud',
          learnedFrom: received?.messageId,
          learnedAt: expect.any(Date),
        },
      ],
      unread: 1,
    });
  });

  test('without a number is known by the id and the name', async () => {
    await write({ from: userId, username: 'Ada' });
    expect(await findPerson(reader(), userId)).toMatchObject({
      to: userId,
      name: 'Ada',
      addresses: [{ value: userId, kind: 'user_id' }],
      lastMessage: { text: 'Hello', fromNumber: null, fromUserId: userId },
    });
  });

  test('keeps the newest name, where a message tells none', async () => {
    await write({ username: 'Ada' });
    await write({ username: 'Ada L.' });
    await write({});
    expect(await findPerson(reader(), number)).toMatchObject({ name: 'Ada L.', unread: 3 });
  });

  test.each<[string, (() => Partial<Inbound>)[]]>([
    ['both together', [() => ({ userId })]],
    ['the number, then both', [() => ({}), () => ({ userId })]],
    ['the id, then both', [() => ({ from: userId }), () => ({ userId })]],
    ['each alone, then both', [() => ({}), () => ({ from: userId }), () => ({ userId })]],
  ])('is one person by number and by id, told %s', async (_order, messages) => {
    for (const message of messages) await write(message());
    const byNumber = await findPerson(reader(), number);
    expect(byNumber.addresses.map(({ value }) => value)).toEqual([number, userId]);
    expect(byNumber.unread).toBe(messages.length);
    expect((await findPerson(reader(), userId)).id).toBe(byNumber.id);
    expect(
      await t.sql('select count(*)::int as count from people where account_id = $1 and merged_into is null', [
        toUuid(account.accountId),
      ]),
    ).toEqual([{ count: 1 }]);
  });

  test('is one person by number and by id, where the first messages of both are stored together', async () => {
    const seen = {
      account_id: toUuid(account.accountId),
      number,
      name: null,
      channel: 'sms',
      is_theirs: true,
    } as const;
    const [first = '', second = ''] = [newUuid(), newUuid()].sort();
    const news = [
      { ...seen, user_id: null, message_id: first, isNews: true },
      { ...seen, user_id: userId, message_id: second, isNews: true },
    ];
    await t.database.prepared.transaction(sql => learnPeople(sql, t.services.suppressed, news));
    expect((await findPerson(reader(), number)).addresses.map(({ value }) => value)).toEqual([number, userId]);
    expect((await findPerson(reader(), userId)).id).toBe((await findPerson(reader(), number)).id);
  });

  test('who has two numbers by one id is one person', async () => {
    await write({ userId });
    const first = await findPerson(reader(), number);
    const second = newPhone().replace('+', '');
    await write({ from: second, userId });
    expect(await findPerson(reader(), second)).toMatchObject({
      id: first.id,
      addresses: [{ value: second }, { value: number }, { value: userId }],
    });
  });

  test('is read as far as before, when somebody of whom there are only notes turns out to be the same', async () => {
    const [received] = await write({ from: userId });
    await markRead(reader(), { to: userId, messageId: received?.messageId ?? '' });
    await addNote(reader(), { to: number, text: 'Calls at noon.' });
    await write({ userId });
    expect((await findPerson(reader(), number)).unread).toBe(1);
  });

  test('answers by the id of each of the two that it was', async () => {
    await write({});
    await write({ from: userId });
    const ids = [(await findPerson(reader(), number)).id, (await findPerson(reader(), userId)).id];
    await write({ userId });
    const found = await Promise.all(ids.map(id => findPerson(reader(), id ?? '')));
    expect(found.map(({ id }) => id)).toEqual([ids[0], ids[0]]);
  });

  test('is not read by the message of somebody else', async () => {
    await write({});
    const [other] = await write({ from: newPhone().replace('+', '') });
    await expect(markRead(reader(), { to: number, messageId: other?.messageId ?? '' })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  test('keeps the notes of both, when two become one', async () => {
    await write({});
    await write({ from: userId });
    for (const to of [number, userId]) await addNote(reader(), { to, text: `About ${to}` });
    await write({ userId });
    const { id } = await findPerson(reader(), number);
    expect(await t.sql('select count(*)::int as count from person_notes where person_id = $1', [uuidOf(id)])).toEqual([
      { count: 2 },
    ]);
  });

  test('of another account is somebody else', async () => {
    await write({ userId });
    const stranger = await makeAccount(t.services);
    expect(await findPerson(t.ctxFor(stranger.actor('management')), number)).toMatchObject({ id: null, unread: 0 });
    await expect(findPerson(t.ctxFor(stranger.actor('management')), userId)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

const uuidOf = (id: string | null): string => (id ?? '').slice(4);

describe('a stop', () => {
  test.each(['number', 'id'])('by the %s stops both', async by => {
    await write({ userId });
    await write({ from: by === 'number' ? number : userId, text: 'Stop!' });
    expect(await suppressed()).toEqual([`${number} recipient`, `${userId} recipient`]);
    expect([isRefused(number), isRefused(userId)]).toEqual([true, true]);
    await expect(
      sendMessage(t.ctxFor(account.actor('unified')), {
        to: `+${number}`,
        text: 'Hello',
        channels: ['sms'],
        sender: 'ACME',
      }),
    ).rejects.toMatchObject({ code: 'recipient_suppressed' });
  });

  test('of one who is told later to have an id stops that too', async () => {
    await write({ text: 'STOP' });
    expect(isRefused(userId)).toBe(false);
    await write({ userId });
    expect(await suppressed()).toEqual([`${number} recipient`, `${userId} recipient`]);
    expect(isRefused(userId)).toBe(true);
  });

  test('of one of two who turn out to be one stops both', async () => {
    await write({ from: userId, text: 'STOP' });
    await write({});
    await write({ userId, text: 'It is me' });
    expect(await suppressed()).toEqual([`${number} recipient`, `${userId} recipient`]);
  });

  test('of the one does not weaken what the account asked for the other', async () => {
    await write({});
    await suppress(reader(), { to: number });
    await write({ from: userId, text: 'STOP' });
    await write({ userId, text: 'It is me' });
    expect(await suppressed()).toEqual([`${number} account`, `${userId} account`]);
    await write({ from: userId, text: 'START' });
    expect([isRefused(number), isRefused(userId)]).toEqual([true, true]);
  });

  test('comes with the message that tells both', async () => {
    await write({ userId, text: 'STOP' });
    expect(await suppressed()).toEqual([`${number} recipient`, `${userId} recipient`]);
  });

  test('by the number is taken back by a start of the id', async () => {
    await write({ userId, text: 'STOP' });
    await write({ from: userId, text: 'START' });
    expect(await suppressed()).toEqual([]);
    expect([isRefused(number), isRefused(userId)]).toEqual([false, false]);
  });

  test('that the account asked for holds for both, and for what is learned later', async () => {
    await write({ userId });
    await suppress(reader(), { to: userId, reason: 'Asked by phone' });
    expect(await suppressed()).toEqual([`${number} account`, `${userId} account`]);
    const second = newPhone().replace('+', '');
    await write({ from: second, userId, text: 'START' });
    expect(await suppressed()).toEqual([`${number} account`, `${second} account`, `${userId} account`].sort());
  });

  test.each(['72404', '1234567890@lid'])('of a person called %s is asked for by the account too', async from => {
    await write({ from });
    await suppress(reader(), { to: from });
    expect(await suppressed()).toEqual([`${from} account`]);
    const { id } = await findPerson(reader(), from);
    await unsuppress(reader(), id ?? '');
    expect(await suppressed()).toEqual([]);
  });

  test('by an id of nobody is refused', async () => {
    for (const to of ['prs_00000000000000000000000000000000', '72404', '+1202'])
      await expect(suppress(reader(), { to })).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('is taken off by the account for both', async () => {
    await write({ userId, text: 'STOP' });
    await unsuppress(reader(), `+${number}`);
    expect(await suppressed()).toEqual([]);
    expect([isRefused(number), isRefused(userId)]).toEqual([false, false]);
  });
});

describePostgres('what two processes hear at once', () => {
  test('is one person, whom a stop of either address stops by both', async () => {
    const table = await openSuppressed(t.services.database, t.services.keys, error => expect(error).toBeNull());
    const rounds = Array.from({ length: 60 }, (_unused, index) => index);
    for (const round of rounds) {
      const [one, id] = [`${number.slice(0, -3)}${100 + round}`, `${userId}${round}`];
      await Promise.all([
        write({ from: one, text: 'STOP' }),
        write({ from: id }),
        write({ from: one, userId: id }),
        write({ from: id, text: round % 2 === 0 ? 'Stop' : 'Hello' }),
      ]);
      expect(await suppressed()).toEqual(expect.arrayContaining([`${one} recipient`, `${id} recipient`]));
      expect((await findPerson(reader(), one)).addresses.map(({ value }) => value)).toEqual([one, id]);
    }
    await table.close();
  });
});

describePostgres('a START that is not committed yet', () => {
  test('does not keep from other processes that the account suppresses the person', async () => {
    if (t.testDatabase.kind !== 'postgres') throw new Error('needs a server');
    await write({ text: 'STOP' });
    const table = await openSuppressed(t.services.database, t.services.keys, error => expect(error).toBeNull());
    const start = new pg.Client({ connectionString: t.testDatabase.url });
    await start.connect();
    await start.query('begin');
    // As a START does it, before it is told.
    await start.query('delete from suppressions where person = $1', [number]);
    const [numbered] = (await start.query(`select nextval('suppression_changes')::float8 as number`)).rows;
    const asked = suppress(reader(), { to: number });
    await expect.poll(() => t.sql(LOCK_WAITS)).not.toEqual([]);
    table.note({ account_id: toUuid(account.accountId), person: number, is_suppressed: false, ...numbered });
    await start.query('commit');
    await start.end();
    await asked;
    await expect.poll(() => table.has(account.accountId, number)).toBe(true);
    await table.close();
  });
});

describePostgres('people of whom another process notes messages', () => {
  const other = setUpOtherProcess(t);

  const sightingOf = (number: string | null, user_id: string | null, isNews = false) => ({
    account_id: toUuid(account.accountId),
    number,
    user_id,
    name: null,
    channel: 'chat_cloud' as const,
    message_id: newUuid(),
    is_theirs: true,
    is_doubtful: false,
    isNews,
  });

  /** Notes a message of somebody. */
  const note =
    (from: string): Locking =>
    sql =>
      NOTE_MESSAGES.run(sql, { sightings: [{ ...sightingOf(from, null), person_id: newUuid() }] });

  const learn = (...seen: Parameters<typeof learnPeople>[2]) =>
    other.prepared.transaction(sql => learnPeople(sql, t.services.suppressed, seen));

  /** People in the order of their ids, by their numbers. */
  async function makePeople(count: number): Promise<string[]> {
    const numbers = Array.from({ length: count }, () => newPhone().replace('+', ''));
    for (const from of numbers) await write({ from });
    const rows = await t.sql<{ value: string }>(
      'select value from person_addresses where value = any($1) order by person_id',
      [numbers],
    );
    return rows.map(({ value }) => value);
  }

  test('turn out to be one after that, and after it has noted all', async () => {
    const [first = '', kept = '', gone = ''] = await makePeople(3);
    const seen = [{ ...sightingOf(kept, gone, true) }, sightingOf(first, null)];
    await besideLocks(
      t,
      note(first),
      () => learn(...seen),
      async sql => {
        await note(kept)(sql);
        await note(gone)(sql);
      },
    );
    expect((await findPerson(reader(), gone)).id).toBe((await findPerson(reader(), kept)).id);
  });

  test('get another address after that, and after it has noted all', async () => {
    const [first = '', second = ''] = await makePeople(2);
    await besideLocks(
      t,
      note(first),
      () => learn(sightingOf(second, userId, true), sightingOf(first, null)),
      note(second),
    );
    expect((await findPerson(reader(), userId)).id).toBe((await findPerson(reader(), second)).id);
  });
});
