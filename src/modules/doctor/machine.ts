/** Checks the machine: clock difference to the database, and disk space. */
import { statfs } from 'node:fs/promises';
import { CLOCK_SQL } from '../../db/clock.ts';
import { runSql, type Sql } from '../../db/statements/sql.ts';
import { type Finding, fault, graded, ok, warning } from './finding.ts';

/** The allowed clock difference, in seconds. Expiry uses the database's clock, logs and certificates this process's. */
const SKEW = { warnAbove: 2, faultAbove: 60 };

const MIB = 1024 * 1024;
const ROOM_WARNING_MIB = 1_024;
const ROOM_FAULT_MIB = 100;

/** Checks this process's clock. @throws what the database throws */
export async function lookAtClock(sql: Sql): Promise<Finding[]> {
  const beganMs = Date.now();
  const [row] = await runSql<{ now: number }>(sql, `select ${CLOCK_SQL} as now`, []);
  const endedMs = Date.now();
  // The answer's own delay is not a difference.
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

/** Checks the disk of the data directory. */
export async function lookAtDisk(dataDir: string, isEmbedded: boolean): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(dataDir);
  const freeMib = Math.floor((bavail * bsize) / MIB);
  const message = `${freeMib} MiB are free on the disk of the data directory.`;
  // Without the embedded database the directory holds a few small files only.
  if (freeMib < (isEmbedded ? ROOM_FAULT_MIB : 1))
    return [fault('disk', message, 'Make room: what cannot be written is refused.')];
  if (isEmbedded && freeMib < ROOM_WARNING_MIB)
    return [warning('disk', message, 'Make room, or move the data directory to a larger disk.')];
  return [ok('disk', message)];
}
