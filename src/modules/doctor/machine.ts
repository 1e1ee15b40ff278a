/** Checks the machine: clock difference to the database, and disk space. */
import { statfs } from 'node:fs/promises';
import type { ServerClock } from '../../db/server-clock.ts';
import { type Finding, fault, graded, ok, warning } from './finding.ts';

/** The allowed clock difference, in seconds. */
const SKEW = { warnAbove: 2, faultAbove: 60 };

const MIB = 1024 * 1024;
const ROOM_WARNING_MIB = 1_024;
const ROOM_FAULT_MIB = 100;

/** Compares the clock of this process with the database's. @throws errors of the database */
export async function lookAtClock(clock: ServerClock): Promise<Finding[]> {
  await clock.learn();
  // biome-ignore lint/plugin: The clock that is looked at.
  const apart = Math.abs(clock.now().getTime() - Date.now()) / 1_000;
  return [
    graded(
      'clock',
      { value: apart, ...SKEW },
      `The clocks of this process and of the database are ${apart < SKEW.warnAbove ? 'alike' : `${Math.round(apart)} s apart`}.`,
      'Have both machines set their clocks by NTP: the log of this process and the check of certificates go by its own.',
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
