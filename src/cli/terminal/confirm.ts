/** Asks before a command that cannot be undone. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { Refusal } from '../refusal.ts';
import { canAsk } from './ask.ts';

/** How a command that cannot be undone is confirmed. */
interface Confirmation {
  /** The question for the arguments, without the question mark. */
  question(...args: string[]): string;
  /** Goes on where nobody can be asked: scripts from before there was a question rely on it. */
  readonly goesOnInScripts?: true;
}

/** Has a command ask on a terminal before it runs; `--yes` answers. Elsewhere it is wrong usage not to say `--yes`. */
export function confirmed(command: Command, { question, goesOnInScripts }: Confirmation): Command {
  return command.option('-y, --yes', 'do not ask').hook('preAction', async (_parent, running) => {
    if (running.opts<{ readonly yes?: true }>().yes) return;
    if (canAsk()) await ask(question(...running.args));
    else if (!goesOnInScripts)
      running.error(`error: this cannot be undone, and nobody can be asked here: give --yes if you want it`);
  });
}

async function ask(question: string): Promise<void> {
  // On standard error: standard output is for data, and may be a pipe.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D are no as well, on a line of its own.
    const answer = await terminal.question(`${question}? [y/N] `).catch(() => {
      process.stderr.write('\n');
      return '';
    });
    if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal(null, 'Nothing was changed.');
  } finally {
    terminal.close();
  }
}
