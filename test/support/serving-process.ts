/** A process in the place of one that serves: it says that it listens, and with `hangs` it never does. With `busy` it says that it leaves, and ends at the next message. */
import type { Listening } from '../../src/processes/messages.ts';

const what = process.argv[2];
if (what !== 'hangs')
  process.send?.({ type: 'heliograph:listening', url: 'http://127.0.0.1:4000' } satisfies Listening);
// One that is asked to leave.
if (what === 'busy') process.once('message', leave);
else process.on('message', end);

function leave(): void {
  process.on('message', end);
  process.send?.('leaves');
}

function end(): void {
  process.exit(0);
}
