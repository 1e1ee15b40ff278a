/** Whether the database can do its work, asked by who looks after the process: not only that it answers, but that it writes. */

import { migrations } from './migrations.ts';
import { answeredIn } from './postgres/bounded-client.ts';
import type { Prepared } from './statements/prepared.ts';
import { runSql, sqlState } from './statements/sql.ts';

/** The longest that an answer takes. */
const ANSWER_MS = 1_500;

/** How long a write is believed: who asks all the time must not fill the write-ahead log. */
const WRITES_MS = 1_000;

/** How long it is believed that a table can grow: a write into a page that is there already does not show it. */
const ROOM_MS = 60_000;

/** `disk_full`, `out_of_memory`, `io_error`: a write that fits into what is there already would hide them. */
const NO_ROOM = /^(53100|53200|58)/;

/** A write that is as cheap as one can be: the row is one, and its versions stay in one page. */
const TOUCH = 'update readiness set at = clock_timestamp() where id = 1 returning id';

/** Half a megabyte into new pages: it fails while no table can grow. The table has one row again afterwards. */
const GROW = [
  'truncate readiness',
  'insert into readiness (id, at) values (1, clock_timestamp())',
  `insert into readiness (id, at, filling) select n, clock_timestamp(), repeat(md5(n::text), 240) from generate_series(2, 65) n`,
  'delete from readiness where id > 1',
];

/** The look of a process at its database. */
export interface Readiness {
  /** Whether it answers, takes writes, and every migration has run. Never throws, and answers within two seconds. */
  isReady(): Promise<boolean>;
  /** Whether every migration has run. Never throws. */
  isMigrated(): Promise<boolean>;
  /** Told what work failed with: it may be what the cheap write does not meet. */
  note(error: unknown): void;
}

/** Makes the look at a database. */
export function openReadiness(prepared: Prepared): Readiness {
  /** Until when a write is believed that was made. */
  let writesUntilMs = 0;
  /** Until when it is believed that a table can grow, which was shown. */
  let roomUntilMs = 0;
  /** One that hangs is not followed by another. */
  let underWay: Promise<boolean> | null = null;
  const note = (error: unknown): void => {
    writesUntilMs = 0;
    if (NO_ROOM.test(sqlState(error) ?? '')) roomUntilMs = 0;
  };
  const look = async (): Promise<boolean> => {
    try {
      if (!(await isMigrated(prepared))) return false;
      if (writesUntilMs > performance.now()) return true;
      const touched = await runSql(prepared.sql(), TOUCH, []);
      // Another process may be emptying the table just now; a row that is not there proves nothing.
      if (touched.length === 0 || roomUntilMs <= performance.now()) {
        await prepared.transaction(async sql => {
          for (const text of GROW) await runSql(sql, text, []);
        });
        roomUntilMs = performance.now() + ROOM_MS;
      }
      writesUntilMs = performance.now() + WRITES_MS;
      return true;
    } catch (error) {
      note(error);
      return false;
    }
  };
  return {
    isReady() {
      underWay ??= look().finally(() => {
        underWay = null;
      });
      return answeredIn(ANSWER_MS, underWay).catch(() => false);
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
