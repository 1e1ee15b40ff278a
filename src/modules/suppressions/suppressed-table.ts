/**
 * The suppressed people as a process knows them, so that no send asks the database. The process that hears a stop knows it at once, every other one when it is
 * announced. A number takes the room of a number: a million of them are 37 MB.
 */
import { LiveReading } from '../../db/feeds/live-reading.ts';
import type { Database } from '../../db/orm.ts';
import type { KeyRing } from '../../kernel/crypto/key-ring.ts';
import { LEAST_UUID, toUuid } from '../../kernel/ids.ts';
import type { Suppressed, SuppressionNote } from '../../kernel/process/suppressed.ts';
import { isErased, openErasedNames } from './erased-names.ts';
import { LOAD_SUPPRESSED, SUPPRESSION_CHANNEL } from './suppressions.sql.ts';

/** The most that one statement reads. */
const LOAD_SIZE = 50_000;

/** A change that was announced: `+` or `-`, its number, the account, the person. */
const CHANGE = /^([+-])([0-9]+) ([0-9a-f-]{36}) (.+)$/s;

/** A number that is kept as one: what is longer, or begins with 0, would be read back as another. */
const NUMBER = /^[1-9][0-9]{0,14}$/;

/** For how long the number of a change is known, in milliseconds: a process notes its own changes sooner, though others may have overtaken them. */
const OVERTAKEN_MS = 60_000;

type Key = number | string;
type People = Map<string, Known>;

/** The people of one account. */
class Known extends Set<Key> {
  /** Whether any of them was erased, so that a name has to be looked for too. */
  hasErased = false;

  override add(key: Key): this {
    if (typeof key === 'string' && isErased(key)) this.hasErased = true;
    return super.add(key);
  }
}

const keyOf = (person: string): Key => (NUMBER.test(person) ? Number(person) : person);

function change(people: People, { account_id, person, is_suppressed }: Omit<SuppressionNote, 'number'>): void {
  const known = people.get(account_id);
  if (!is_suppressed) known?.delete(keyOf(person));
  else if (known) known.add(keyOf(person));
  else people.set(account_id, new Known().add(keyOf(person)));
}

/** The newest changes by account and person, in the order in which they were noted. Answers whether a change is the newest of its person. */
function createOrder(): (change: SuppressionNote) => boolean {
  const newest = new Map<string, { readonly number: number; readonly atMs: number }>();
  return ({ account_id, person, number }) => {
    const atMs = performance.now();
    for (const [key, known] of newest) {
      if (known.atMs > atMs - OVERTAKEN_MS) break;
      newest.delete(key);
    }
    const key = `${account_id} ${person}`;
    if ((newest.get(key)?.number ?? 0) >= number) return false;
    newest.delete(key);
    newest.set(key, { number, atMs });
    return true;
  };
}

interface SuppressedTable extends Suppressed {
  close(): Promise<void>;
}

/** Reads the lists, and listens. @param keys open the key of erased names @param onError told of errors; the lists of before hold until they can be read. @throws errors of the database */
export async function openSuppressed(
  database: Database,
  keys: KeyRing,
  onError: (error: unknown) => void,
): Promise<SuppressedTable> {
  const erasedName = await openErasedNames(database.sql(), keys);
  let people: People = new Map();
  /** The changes that are heard while it reads: the reading may be older. Null: it does not read. */
  let meanwhile: SuppressionNote[] | null = null;
  const isNewest = createOrder();
  const note = (one: SuppressionNote): void => {
    if (!isNewest(one)) return;
    change(people, one);
    meanwhile?.push(one);
  };
  const read = async (): Promise<void> => {
    const heard: SuppressionNote[] = [];
    meanwhile = heard;
    try {
      const read = await readAll(database);
      for (const one of heard) change(read, one);
      people = read;
    } finally {
      meanwhile = null;
    }
  };
  const hear = (payload: string): void => {
    const [, sign, number, account, person] = CHANGE.exec(payload) ?? [];
    if (account !== undefined && person !== undefined)
      note({ account_id: account, person, is_suppressed: sign === '+', number: Number(number) });
  };
  const reading = new LiveReading({ database, channel: SUPPRESSION_CHANNEL, hear, read, onError });
  await reading.open();
  return {
    has(accountId, person) {
      const known = people.get(toUuid(accountId));
      if (!known) return false;
      return known.has(keyOf(person)) || (known.hasErased && known.has(erasedName(accountId, person)));
    },
    erasedName,
    note,
    close: () => reading.close(),
  };
}

async function readAll(database: Database): Promise<People> {
  const people: People = new Map();
  let last = { account_id: LEAST_UUID, person: '' };
  for (;;) {
    const { account_id: account, person: after } = last;
    const rows: (typeof last)[] = await LOAD_SUPPRESSED.run(database.sql(), {
      account,
      person: after,
      limit: LOAD_SIZE,
    });
    for (const row of rows) change(people, { ...row, is_suppressed: true });
    last = rows.at(-1) ?? last;
    if (rows.length < LOAD_SIZE) return people;
  }
}
