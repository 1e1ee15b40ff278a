/** `completion`. */
import { Argument, type Command } from 'commander';
import { addBareCommand } from '../command.ts';
import { treeOf } from '../completion/command-tree.ts';
import { printCompletion, SHELLS } from '../completion/scripts.ts';

/** Adds the command that prints how a shell completes the others. */
export function addCompletionCommand(program: Command): void {
  addBareCommand(program, 'completion', 'print the script by which a shell completes commands and options', {})
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => {
      process.stdout.write(printCompletion(shell, treeOf(program)));
    });
}
