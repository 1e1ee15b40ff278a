import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NOT_CONNECTED } from '../../../src/channels/chat-qr/outcomes.ts';
import type { OwnedSession, SessionChange, SessionFace } from '../../../src/channels/session.ts';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { claimTurn } from '../../../src/modules/chat-sessions/locked-number.ts';
import { Owned } from '../../../src/modules/chat-sessions/owned-session.ts';
import { FORGET_CONTACT, KEEP_LIMITS } from '../../../src/modules/chat-sessions/pace/turn.sql.ts';
import { newNumber, passTime } from '../../support/chat-qr/set-up-numbers.ts';
import { setUpServices } from '../../support/fixtures.ts';
import { TOLD } from '../../support/leaks/leak-scan.ts';
import { rounds } from '../../support/runner/rounds.ts';

const CLAIMS = rounds({ usual: 300, long: 10_000 });
const [PER_MINUTE, NEW_PEOPLE] = [5, 30];
const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Times are read as numbers that are not exact to the microsecond. */
const READ_MS = 1;

const on = setUpServices();

/** A turn, and how many people a number of its age may meet within the day that ends with it. */
interface Turn {
  readonly atMs: number;
  readonly isNew: boolean;
  readonly mayMeet: number;
}

test(
  `${CLAIMS} claims at any time pass neither the limit of a minute nor that of a day, by the age of the number`,
  async () => {
    const connectionId = newId('con');
    const [connection, owner] = [toUuid(connectionId), randomUUID()];
    await on.sql(
      `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
     values ($1, 'linked', now(), $2, now() + interval '1 year', now())`,
      [connection, owner],
    );
    const [turns, met] = [[] as Turn[], new Set<string>()];
    for (let index = 0; index < CLAIMS; index++) {
      // Mostly seconds, now and then hours.
      const ms = Math.floor(Math.random() * (index % 40 === 39 ? DAY_MS / 4 : 4_000));
      await passTime(on, [connectionId], ms);
      const known = [...met];
      const person = index % 2 === 0 && known.length > 0 ? (known[index % known.length] ?? '') : newNumber();
      const pace = { perMinute: PER_MINUTE, newPeople: NEW_PEOPLE, gapMs: 1_000, patienceMs: 4_000 };
      const claim = await claimTurn(on.database, { connection, owner, person, ...pace });
      if (claim?.fault !== null) continue;
      const [turn] = await on.sql<{ ms: number }>(
        'select extract(epoch from turns[cardinality(turns)] - linked_at)::float8 * 1000 as ms from chat_sessions where connection_id = $1',
        [connection],
      );
      const atMs = turn?.ms ?? 0;
      const mayMeet = Math.ceil(NEW_PEOPLE * Math.min(1, (Math.floor(atMs / DAY_MS) + 1) / 7));
      turns.push({ atMs, isNew: !met.has(person), mayMeet });
      met.add(person);
    }

    /** Of turns, how many lie within the time before each. */
    const within = (of: readonly Turn[], spanMs: number) =>
      of.map(({ atMs, mayMeet }) => ({
        count: of.filter(one => one.atMs > atMs - spanMs + READ_MS && one.atMs <= atMs).length,
        mayMeet,
      }));
    const inMinutes = within(turns, MINUTE_MS).map(({ count }) => count);
    expect(Math.max(...inMinutes)).toBe(PER_MINUTE);
    const meetings = within(
      turns.filter(({ isNew }) => isNew),
      DAY_MS,
    );
    expect(meetings.filter(({ count, mayMeet }) => count > mayMeet)).toEqual([]);
    expect(meetings.some(({ count, mayMeet }) => count === mayMeet)).toBe(true);
  },
  60_000 + CLAIMS * 30,
);

test('a refusal forgets somebody new, and nobody who may have got a text before', async () => {
  const [connection, owner] = [toUuid(newId('con')), randomUUID()];
  await on.sql(
    `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
     values ($1, 'linked', now(), $2, now() + interval '1 day', now())`,
    [connection, owner],
  );
  const pace = { perMinute: PER_MINUTE, newPeople: NEW_PEOPLE, gapMs: 1_000, patienceMs: 4_000 };
  const met = () => on.sql('select person from chat_contacts where connection_id = $1', [connection]);
  const [once, twice] = [newNumber(), newNumber()];
  for (const person of [once, twice, twice]) {
    const claim = await claimTurn(on.database, { connection, owner, person, ...pace });
    expect(claim?.fault).toBeNull();
  }
  for (const person of [once, twice]) await FORGET_CONTACT.run(on.database.sql(), { connection, person });
  expect(await met()).toEqual([{ person: twice }]);
});

test.each([
  ['stays where a refusal says nothing of it', null, 0, 'capped'],
  ['is over a day later, where nobody says anything of it', null, DAY_MS, null],
  ['is over a day later, where the server says nothing at all', undefined, DAY_MS, null],
  ['is over where the server tells another one', 30, 0, null],
])('a cap without an end %s', async (_what, newChats, passedMs, fault) => {
  const connectionId = newId('con');
  const [connection, owner] = [toUuid(connectionId), randomUUID()];
  await on.sql(
    `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
     values ($1, 'linked', now(), $2, now() + interval '2 days', now())`,
    [connection, owner],
  );
  const told = { connection, owner, isLocked: false, lockedUntil: null, newChatsUntil: null, tookMs: 0 };
  await KEEP_LIMITS.run(on.database.sql(), { ...told, newChats: 5, newChatsUsed: 5 });
  await passTime(on, [connectionId], passedMs);
  if (newChats !== undefined)
    await KEEP_LIMITS.run(on.database.sql(), { ...told, newChats, newChatsUsed: newChats && 2 });
  const pace = { perMinute: PER_MINUTE, newPeople: NEW_PEOPLE, gapMs: 1_000, patienceMs: 4_000 };
  const claim = await claimTurn(on.database, { connection, owner, person: newNumber(), ...pace });
  expect(claim?.fault).toBe(fault);
});

/** Owns a number whose session does what a test says. */
async function own(does: Partial<Pick<OwnedSession, 'askLimits' | 'end'>>) {
  const connectionId = newId('con');
  const [connection, owner] = [toUuid(connectionId), randomUUID()];
  await on.sql(
    `insert into chat_sessions (connection_id, state, state_since, owner, lease_until, linked_at)
     values ($1, 'linked', now(), $2, now() + interval '1 day', now())`,
    [connection, owner],
  );
  let tell: (change: SessionChange) => void = () => undefined;
  const face: SessionFace = {
    number: newNumber(),
    perMinute: PER_MINUTE,
    newPeoplePerDay: NEW_PEOPLE,
    fault: () => null,
    begin(host) {
      tell = host.onChange;
      return {
        extend: () => undefined,
        send: async () => NOT_CONNECTED,
        askLimits: async () => null,
        end: async () => true,
        ...does,
      };
    },
  };
  const [keys, log] = [createKeyRing(Buffer.alloc(32, 7), []), TOLD.logger()];
  const parts = { connectionId, face, database: on.database, keys, log, owner, onChange: () => undefined };
  const owned = new Owned(parts, { creds: 'creds', link: null, leaseMs: DAY_MS });
  return { connection, owned, tell: (change: SessionChange) => tell(change) };
}

test('a refusal that comes while a session ends locks its number for the next owner', async () => {
  const { connection, owned, tell } = await own({
    async end() {
      tell({ kind: 'restricted' });
      return true;
    },
  });
  await owned.end();
  expect(
    await on.sql('select locked_since is not null as is_locked, owner from chat_sessions where connection_id = $1', [
      connection,
    ]),
  ).toEqual([{ is_locked: true, owner: null }]);
});

test('the server is asked for its limits each hour, and not after the end', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const askLimits = vi.fn(async () => null);
  const { owned } = await own({ askLimits });
  vi.advanceTimersByTime(3 * HOUR_MS);
  expect(askLimits).toHaveBeenCalledTimes(3);
  await owned.end();
  vi.advanceTimersByTime(HOUR_MS);
  expect(askLimits).toHaveBeenCalledTimes(3);
});
