/** The options and the help that all commands have in common. */
import type { Command } from 'commander';
import { EXAMPLES } from './examples.ts';

/** The name of the program, as users type it before a command. */
export const PROGRAM = 'npx heliograph';

const STATUSES = `Exit status:
  0  done
  1  refused: standard error begins with the code of the API, like
     "invalid_input: ", where it was the API that refused
  2  wrong usage

Data goes to standard output, messages to standard error, with --json too:
then the data is one JSON document in a line (--follow: one a line). --json
and --wide may stand before or after the words of a command.

A command that takes an <accountId> finds it in "account list"; one that has
the option --account acts for the only account, or for the demo account.`;

/** Examples of a newcomer's first commands, in order. */
const FIRST_STEPS = ['send', 'inbox list', 'otp send', 'logs', 'doctor'].flatMap(path =>
  examplesOf([path]).slice(0, 1),
);

/** Gives a command, and all below it, the options of every command, and its help the examples; `words` are those of the command. */
export function dress(command: Command, words: readonly string[] = []): void {
  command
    // Its own help says what it takes; arguments here would leave a terminal of 80 columns no room for what commands are for.
    .configureHelp({ subcommandTerm: one => one.name() })
    .configureOutput({ outputError: (text, write) => write(text.replace('command-argument value', 'the value')) })
    .showHelpAfterError(`(${[PROGRAM, ...words, '--help'].join(' ')} shows what it takes)`)
    .option('--profile <name>', 'ask the gateway that "login" knows by this name')
    .option('--json', 'print data as one JSON document')
    .option('--wide', 'print tables in full, also where they are wider than the terminal');
  if (words.length === 0) command.addHelpText('after', `\n${STATUSES}`);
  const examples = words.length === 0 ? FIRST_STEPS : examplesOf(words);
  if (examples.length > 0) command.addHelpText('after', `\nExamples:\n${examples.map(line => `  ${line}`).join('\n')}`);
  for (const one of command.commands) dress(one, [...words, one.name()]);
}

/** Adds `help`, which finds commands of groups too. Commander's own shows the group, and nothing is wrong of what there is not. */
export function addHelpCommand(program: Command): void {
  program
    .helpCommand(false)
    .command('help [command...]')
    .description('show the help of a command')
    .action((words: readonly string[]) => {
      let found = program;
      for (const word of words) {
        const next = found.commands.find(one => one.name() === word);
        if (!next) program.error(`error: there is no command ${words.join(' ')}`);
        else found = next;
      }
      found.help();
    });
}

/** The examples of a command as a user types them; a group has those of its commands. */
export function examplesOf(words: readonly string[]): string[] {
  const name = words.join(' ');
  return Object.entries(EXAMPLES)
    .filter(([path]) => path === name || (name !== '' && path.startsWith(`${name} `)))
    .flatMap(([path, given]) => (path === name ? given : [given[0]]).map(rest => `${PROGRAM} ${path} ${rest}`.trim()));
}
