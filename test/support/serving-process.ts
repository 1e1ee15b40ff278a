/** A process in the place of one that serves: it says that it listens, and with `hangs` it never does. */
import type { Listening } from '../../src/processes/messages.ts';

if (process.argv[2] === 'serves')
  process.send?.({ type: 'heliograph:listening', url: 'http://127.0.0.1:4000' } satisfies Listening);
// One that is asked to leave.
process.on('message', () => process.exit(0));
