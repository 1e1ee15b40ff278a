/** The verb *learn people*: who somebody is, by number and by the ids that channels give (contract §15). */
import type { Sql } from '../../db/statements/sql.ts';
import type { Channel } from '../../kernel/channel.ts';
import { fromUuid, newUuid, toUuid } from '../../kernel/ids.ts';
import type { Suppressed } from '../../kernel/process/suppressed.ts';
import { LOCK_LISTS, RECALL_ERASED, SPREAD, type SuppressionChange } from '../suppressions/suppressions.sql.ts';
import {
  ENSURE_PERSON,
  FIND_TWINS,
  LEARN_ADDRESSES,
  LEAVE_NUMBERS,
  LOCK_SEEN,
  MERGE_TWINS,
  NOTE_MESSAGES,
} from './people.sql.ts';

/** A message, as far as it tells of its person; ids are uuids. One of number and user id is there; where both are, they are one person's. */
export interface Sighting {
  readonly account_id: string;
  /** A number, or the id that the channel gave the person before. */
  readonly number: string | null;
  readonly user_id: string | null;
  /** The name that the person shows; null: none is told. */
  readonly name: string | null;
  readonly channel: Channel;
  readonly message_id: string;
  /** Whether they wrote it; else it was sent to them. */
  readonly is_theirs: boolean;
  /** Whether the number is the one that the person has left. Absent: it is theirs. */
  readonly is_left?: boolean;
  /** Whether a number that was left may be somebody else's by now: a former id says better who has left it. Absent: it is theirs. */
  readonly is_doubtful?: boolean;
}

/**
 * Learns from messages, as a part of the transaction that stores them. A person who is suppressed by one address is from now on suppressed by each. Answers
 * what changed on the lists. @param seen those that `isNews` tell something of which nothing was known when they were stored
 */
export async function learnPeople(
  sql: Sql,
  suppressed: Pick<Suppressed, 'erasedName'>,
  seen: readonly (Sighting & { readonly isNews: boolean })[],
): Promise<readonly SuppressionChange[]> {
  if (seen.length === 0) return [];
  const sightings = seen.map(sighting => ({ is_doubtful: false, ...sighting, person_id: newUuid() }));
  const news = sightings.filter(({ isNews }) => isNews);
  const doubles = news.filter(({ number, user_id }) => number !== null && user_id !== null);
  const recalled = news.length > 0 ? [...(await learnAddresses(sql, suppressed, news))] : [];
  if (doubles.length > 0) await mergeTwins(sql, doubles, sightings);
  // Whoever was erased since their messages were stored is as new as anybody.
  if (await hasStrangers(sql, sightings)) {
    recalled.push(...(await learnAddresses(sql, suppressed, sightings)));
    await hasStrangers(sql, sightings);
  }
  if (doubles.length === 0) return recalled;
  const people = doubles.map(({ account_id, number }) => ({ account_id, person: number ?? '' }));
  return [...recalled, ...(await SPREAD.run(sql, { people, accounts: accountsOf(doubles) }))];
}

/** Takes numbers from those who left them, as the last step of the transaction: stops and words before it are of the person. */
export async function leaveNumbers(sql: Sql, seen: readonly Sighting[]): Promise<void> {
  const left = seen.filter(({ is_left }) => is_left);
  const sightings = left.map(sighting => ({ is_doubtful: false, ...sighting, person_id: newUuid() }));
  if (left.length > 0) await LEAVE_NUMBERS.run(sql, { sightings });
}

type Learned = Parameters<typeof LEARN_ADDRESSES.run>[1]['sightings'];

const accountsOf = (sightings: Learned): string[] => [...new Set(sightings.map(({ account_id }) => account_id))];

async function learnAddresses(
  sql: Sql,
  suppressed: Pick<Suppressed, 'erasedName'>,
  sightings: Learned,
): Promise<readonly SuppressionChange[]> {
  // One transaction at a time makes people one, or suppresses them: each sees what the one before it did.
  await LOCK_LISTS.run(sql, { accounts: accountsOf(sightings) });
  await LEARN_ADDRESSES.run(sql, { sightings });
  return RECALL_ERASED.run(sql, { people: sightings.flatMap(sighting => namesOf(suppressed, sighting)) });
}

/** The addresses of a sighting, each with the name that it had if it was erased: its stop is found again. */
function namesOf(
  { erasedName }: Pick<Suppressed, 'erasedName'>,
  { account_id, number, user_id }: Pick<Sighting, 'account_id' | 'number' | 'user_id'>,
) {
  return [number, user_id].flatMap(person =>
    person === null ? [] : [{ account_id, person, erased: erasedName(fromUuid('acc', account_id), person) }],
  );
}

/** Makes those one who turn out to be. @param all the sightings of the transaction, whose people are locked from then on */
async function mergeTwins(sql: Sql, doubles: Learned, all: Learned): Promise<void> {
  for (let isLocked = false; ; isLocked = true) {
    const twins = await FIND_TWINS.first(sql, { sightings: doubles });
    if (!twins) return;
    if (!isLocked) await LOCK_SEEN.run(sql, { sightings: all });
    await MERGE_TWINS.run(sql, twins);
  }
}

/** Notes the messages of all who are known. Answers whether somebody is not. */
async function hasStrangers(sql: Sql, sightings: Learned): Promise<boolean> {
  for (;;) {
    const result = await NOTE_MESSAGES.first(sql, { sightings });
    if (!result || result.noted === result.people) return (result?.strangers ?? 0) > 0;
  }
}

/**
 * The person with an address, whom the account names: a new one where nobody has this number. Nobody turns out to be somebody else until the transaction of `sql`
 * ends. A stop that outlived an erasure stands under the address again, so that a START finds it. @param newest the uuid of what is said of a new one, which is
 * the place in the list
 */
export async function ensurePerson(
  sql: Sql,
  suppressed: Pick<Suppressed, 'erasedName'>,
  { accountId, address, newest }: { readonly accountId: string; readonly address: string; readonly newest: string },
): Promise<string> {
  const account = toUuid(accountId);
  await LOCK_LISTS.run(sql, { accounts: [account] });
  const erased = suppressed.erasedName(accountId, address);
  // The notice of the change reaches this process too.
  await RECALL_ERASED.run(sql, { people: [{ account_id: account, person: address, erased }] });
  const row = await ENSURE_PERSON.first(sql, { account, address, person: newUuid(), newest });
  if (!row) throw new Error('a person was neither there nor made');
  return fromUuid('prs', row.id);
}
