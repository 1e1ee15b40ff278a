/**
 * The suppressed people as a process knows them, so that no send asks the database. The process that hears a stop knows it at once, every other one when it is
 * announced. A number takes the room of a number: a million of them are 37 MB.
 */
import type { Database } from '../../db/orm.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { Suppressed } from '../../kernel/process/suppressed.ts';
import { LOAD_SUPPRESSED, SUPPRESSION_CHANNEL } from './suppressions.sql.ts';

/** A uuid before that of every account. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The most that one statement reads. */
const LOAD_SIZE = 50_000;

/** A change that was announced: `+` or `-`, the account, the person. */
const CHANGE = /^([+-])([0-9a-f-]{36}) (.+)$/s;

/** A number that is kept as one: what is longer, or begins with 0, would be read back as another. */
const NUMBER = /^[1-9][0-9]{0,14}$/;

/** When a reading that failed is tried again. */
const RETRY_MS = 1_000;

type Key = number | string;
type People = Map<string, Set<Key>>;

const keyOf = (person: string): Key => (NUMBER.test(person) ? Number(person) : person);

function change(people: People, account: string, person: string, isSuppressed: boolean): void {
  const known = people.get(account);
  if (!isSuppressed) known?.delete(keyOf(person));
  else if (known) known.add(keyOf(person));
  else people.set(account, new Set([keyOf(person)]));
}

/** The table of a process, until it is closed. */
export interface SuppressedTable extends Suppressed {
  close(): Promise<void>;
}

/** Reads the lists, and listens. @param onError told of errors; the lists of before hold until they can be read. @throws errors of the database */
export async function openSuppressed(database: Database, onError: (error: unknown) => void): Promise<SuppressedTable> {
  let people: People = new Map();
  let reading: Promise<void> | null = null;
  let isClosed = false;
  let retry: NodeJS.Timeout | undefined;
  /** The changes that were heard while it reads: the reading may be older. */
  let meanwhile: [string, string, boolean][] = [];
  const note = (account: string, person: string, isSuppressed: boolean): void => {
    change(people, account, person, isSuppressed);
    if (reading) meanwhile.push([account, person, isSuppressed]);
  };
  const read = (): Promise<void> => {
    reading ??= readAll(database)
      .then(read => {
        for (const one of meanwhile) change(read, ...one);
        people = read;
      })
      .finally(() => {
        reading = null;
        meanwhile = [];
      });
    return reading;
  };
  const readAgain = async (): Promise<void> => {
    // A reading under way may have passed by what was missed.
    await reading?.catch(() => undefined);
    if (isClosed) return;
    await read().catch((error: unknown) => {
      if (!isClosed) onError(error);
      retry = setTimeout(() => void readAgain(), RETRY_MS).unref();
    });
  };
  const hear = (payload: string): void => {
    const [, sign, account, person] = CHANGE.exec(payload) ?? [];
    if (account !== undefined && person !== undefined) note(account, person, sign === '+');
  };
  const unlisten = await database.listen(SUPPRESSION_CHANNEL, hear, () => void readAgain());
  const close = async (): Promise<void> => {
    isClosed = true;
    clearTimeout(retry);
    await unlisten();
    await reading?.catch(() => undefined);
  };
  await read().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return {
    has: (accountId, person) => people.get(toUuid(accountId))?.has(keyOf(person)) ?? false,
    note: (accountId, person, isSuppressed) => note(toUuid(accountId), person, isSuppressed),
    close,
  };
}

async function readAll(database: Database): Promise<People> {
  const people: People = new Map();
  let last = { account_id: NOBODY, person: '' };
  for (;;) {
    const { account_id: account, person: after } = last;
    const rows: (typeof last)[] = await LOAD_SUPPRESSED.run(database.sql(), {
      account,
      person: after,
      limit: LOAD_SIZE,
    });
    for (const { account_id, person } of rows) change(people, account_id, person, true);
    last = rows.at(-1) ?? last;
    if (rows.length < LOAD_SIZE) return people;
  }
}
