/** What the doctor says of the machine: its clock beside that of the database, and the room on its disk. */
import { statfs } from 'node:fs/promises';
import { CLOCK_SQL } from '../../db/clock.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { type Finding, fault, graded, ok, warning } from './finding.ts';

/** How far the clocks may be apart, in seconds. What decides is the database's; logs and certificates go by the other. */
const SKEW = { warnAbove: 2, faultAbove: 60 };

const MIB = 1024 * 1024;
const ROOM_WARNING_MIB = 1_024;
const ROOM_FAULT_MIB = 100;

/** Looks at the clock of this process. @throws what the database throws where it cannot be asked. */
export async function lookAtClock(sql: Sql): Promise<Finding[]> {
  const beganMs = Date.now();
  const [row] = await runSql<{ now: number }>(sql, `select ${CLOCK_SQL} as now`, []);
  const endedMs = Date.now();
  // What the answer took is no skew.
  const apart = Math.max(0, Math.abs((row?.now ?? 0) - (beganMs + endedMs) / 2_000) - (endedMs - beganMs) / 2_000);
  return [
    graded(
      'clock',
      { value: apart, ...SKEW },
      `The clocks of this process and of the database are ${apart < SKEW.warnAbove ? 'alike' : `${Math.round(apart)} s apart`}.`,
      'Have both machines set their clocks by NTP.',
    ),
  ];
}

/** Looks at the disk of the data directory. */
export async function lookAtDisk(dataDir: string, isEmbedded: boolean): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(dataDir);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  const message = `${freeMib} MiB are free on the disk of the data directory.`;
  // Without the embedded database a few small files stand there.
  if (freeMib < (isEmbedded ? ROOM_FAULT_MIB : 1))
    return [fault('disk', message, 'Make room: what cannot be written is refused.')];
  if (isEmbedded && freeMib < ROOM_WARNING_MIB)
    return [warning('disk', message, 'Make room, or move the data directory to a larger disk.')];
  return [ok('disk', message)];
}
