/** Clocks of gateways that differ from the machine's and step while they run, by libfaketime: a file says by how much. */
import { globSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const [library] = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1');

/** Why no clock can be wrong here; null: one can. */
export const noWrongClock = library ? null : 'not installed: faketime';

/** The clock of a gateway that starts with `env`. */
export interface WrongClock {
  readonly env: Readonly<Record<string, string>>;
  /** Sets how far it is ahead of the machine's, in seconds. */
  set(aheadSeconds: number): Promise<void>;
}

/**
 * Makes a clock in a folder. @param fakes `wall`: the monotonic clock stays right, as where somebody sets the time of a machine. `both`: as where a machine
 * was asleep; set back while the gateway runs, such a clock stops all timers, and no machine has one.
 */
export async function makeClockIn(folder: string, fakes: 'wall' | 'both', aheadSeconds: number): Promise<WrongClock> {
  const file = join(folder, 'ahead');
  const set = async (seconds: number): Promise<void> => {
    // At once: half a number would end the gateway.
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    await rename(`${file}.new`, file);
  };
  await set(aheadSeconds);
  return {
    env: {
      LD_PRELOAD: library ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      ...(fakes === 'wall' ? { FAKETIME_DONT_FAKE_MONOTONIC: '1' } : {}),
    },
    set,
  };
}
