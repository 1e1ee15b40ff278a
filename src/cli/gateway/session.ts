/** What a command is given to run with. */
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { createOutput, type Output, say } from '../output.ts';
import { type ConnectOptions, connect } from './connect.ts';
import type { Operator } from './operator.ts';

/** One run of a command. */
export interface Session {
  readonly operator: Operator;
  readonly out: Output;
}

/** Connects as the operator, runs the command, and closes what was opened, whatever happened. */
export async function inSession(
  command: Command,
  run: (session: Session) => Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  const out = createOutput(command.optsWithGlobals().json === true);
  const operator = await connect(readConfig(), say, options);
  try {
    await run({ operator, out });
  } finally {
    await operator.close();
  }
}

/** Adds a command with what all of them have. `words` are its name and its arguments. */
export function addCommand(parent: Command, words: string, description: string): Command {
  return parent.command(words).description(description).option('--json', 'print data as one JSON document');
}
