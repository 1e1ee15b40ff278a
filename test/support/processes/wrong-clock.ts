/** Wrong clocks of the gateways of a test file. */
import { makeClockIn, noWrongClock, type WrongClock } from '../clocks/clock-file.ts';
import { makeFolder } from './gateway.ts';

export { noWrongClock, type WrongClock };

// Once for a file.
if (noWrongClock) console.info(`Tests are skipped: ${noWrongClock}.`);

/** Makes a clock, as `makeClockIn`, in a folder that is removed at the end of the test file. */
export async function makeWrongClock(fakes: 'wall' | 'both', aheadSeconds: number): Promise<WrongClock> {
  return makeClockIn(await makeFolder(), fakes, aheadSeconds);
}
