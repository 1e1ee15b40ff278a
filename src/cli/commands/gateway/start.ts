/** `start`. */
import type { Command } from 'commander';
import { addBareCommand } from '../../command.ts';

/** Adds the command that starts the gateway. `start.js` has done so where the command stands alone, so this one explains it. */
export function addStartCommand(program: Command): void {
  const start =
    'start the gateway on the data directory here, until SIGTERM or Ctrl+C; its settings are environment variables';
  addBareCommand(program, 'start', start, {}).action((_options: object, command: Command) =>
    command.error('error: start takes no options: its settings are environment variables'),
  );
}
