/** The entry of `npx heliograph` and `npm run cli`. Exit status 0: done; 1: refused; 2: wrong usage. */
import { runCommand } from './program.ts';

// A reader that closes the pipe has seen enough (`| head -1`): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCommand(process.argv.slice(2));
