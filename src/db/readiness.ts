/** Readiness: whether the database answers, is migrated and can be written, and whether what others announce arrives. */

import { shared } from '../kernel/process/shared.ts';
import type { Hearing } from './feeds/listen.ts';
import { migrations } from './migrations.ts';
import { answeredIn } from './postgres/bounded-client.ts';
import type { Prepared } from './statements/prepared.ts';
import { isLockedOut, runSql, sqlState } from './statements/sql.ts';

/** The time-out of a check. */
const ANSWER_MS = 1_500;

/** How long a successful write is trusted: frequent checks must not fill the WAL. */
const WRITES_MS = 1_000;

/** How long a successful growth is trusted. The cheap write needs no disk space, so it proves nothing. */
const ROOM_MS = 60_000;

/** `disk_full`, `out_of_memory`, `io_error`: errors that the cheap write may not meet. */
const NO_ROOM = /^(53100|53200|58)/;

const UNAVAILABLE = 'database unavailable';
const NOT_MIGRATED = 'database not migrated';

/** The SQLSTATE of a database without tables. */
const UNDEFINED_TABLE = '42P01';

/** The cheapest write: one row, whose versions stay in one page. */
const TOUCH = 'update readiness set at = clock_timestamp() where id = 1 returning id';

/** Writes half a megabyte into new pages, which fails if no table can grow. Leaves one row. A dump keeps the table for as long as it runs. */
const GROW = [
  "set local lock_timeout = '500ms'",
  'truncate readiness',
  'insert into readiness (id, at) values (1, clock_timestamp())',
  `insert into readiness (id, at, filling) select n, clock_timestamp(), repeat(md5(n::text), 240) from generate_series(2, 65) n`,
  'delete from readiness where id > 1',
];

/** Checks the database for one process. */
export interface Readiness {
  /** Why the process is not ready, in a few words that name no machine; null: it is. Never throws; answers within two seconds. */
  findFault(): Promise<string | null>;
  /** Whether every migration has run. Never throws. */
  isMigrated(): Promise<boolean>;
  /** Reports an error of other work, which the cheap write may not meet: the next check writes again. */
  note(error: unknown): void;
}

/** Makes the readiness check of a database. */
export function openReadiness(prepared: Prepared, hearing: Hearing): Readiness {
  /** Until when the last successful write is trusted. */
  let writesUntilMs = 0;
  /** Until when the last successful growth is trusted. */
  let roomUntilMs = 0;
  const note = (error: unknown): void => {
    writesUntilMs = 0;
    if (NO_ROOM.test(sqlState(error) ?? '')) roomUntilMs = 0;
  };
  const findDatabaseFault = shared(async (): Promise<string | null> => {
    try {
      if (!(await isMigrated(prepared))) return NOT_MIGRATED;
      if (writesUntilMs > performance.now()) return null;
      const touched = await runSql(prepared.sql(), TOUCH, []);
      // No row: another process may be rebuilding the table just now.
      if (touched.length === 0 || roomUntilMs <= performance.now()) {
        const grown = prepared.transaction(async sql => {
          for (const text of GROW) await runSql(sql, text, []);
        });
        await grown.catch((error: unknown) => {
          if (touched.length === 0 || !isLockedOut(error)) throw error;
        });
        roomUntilMs = performance.now() + ROOM_MS;
      }
      writesUntilMs = performance.now() + WRITES_MS;
      return null;
    } catch (error) {
      note(error);
      return sqlState(error) === UNDEFINED_TABLE ? NOT_MIGRATED : UNAVAILABLE;
    }
  });
  return {
    async findFault() {
      const fault = await answeredIn(ANSWER_MS, findDatabaseFault()).catch(() => UNAVAILABLE);
      return fault ?? (hearing.isDeaf() ? 'events of other processes do not arrive' : null);
    },
    isMigrated: () => isMigrated(prepared).catch(() => false),
    note,
  };
}

async function isMigrated(prepared: Prepared): Promise<boolean> {
  const rows = await runSql<{ name: string }>(prepared.sql(), 'select name from migrations', []);
  const done = new Set(rows.map(({ name }) => name));
  return migrations.every(({ name }) => done.has(name));
}
