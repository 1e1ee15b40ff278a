/** When a command that lasts has lasted long enough. */
import { onEndSignal } from '../kernel/process/end-signal.ts';

/** Aborts when the user has seen enough: at a signal (a second one ends the process at once), or when nobody reads any more. */
export function endOfFollowing(): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  onEndSignal(end);
  process.stdout.once('error', end);
  return controller.signal;
}
