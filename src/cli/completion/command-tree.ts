/** The commands as a shell completes them. */
import type { Command, Option } from 'commander';

/** A word that may come next. */
export interface Word {
  readonly word: string;
  readonly description: string;
}

/** An option of a command. */
export interface CompletedOption extends Word {
  /** Null: it takes no value; else the values that it may have or begin with, none where any text may be one. */
  readonly values: readonly string[] | null;
  /** The words of the command that prints its values at the press of the key, empty where they are known before. */
  readonly source: string;
  /** Whether its value may name a file. */
  readonly takesFile: boolean;
}

/** A command, and the words that may follow it. */
export interface CompletedCommand {
  /** The words of the command behind the name of the program, empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly CompletedOption[];
  /** The values that its first argument may have. */
  readonly values: readonly string[];
}

/** A command and all below it, in the order of the help. */
export function treeOf(command: Command, path: readonly string[] = []): CompletedCommand[] {
  const made: CompletedCommand = {
    path: path.join(' '),
    commands: command.commands.map(one => ({ word: one.name(), description: firstClause(one.description()) })),
    options: [
      ...command.options.map(one => ({
        word: one.long ?? '',
        description: firstClause(one.description),
        values: one.flags.includes('<') ? valuesOf(one) : null,
        source: 'source' in one ? String(one.source) : '',
        takesFile: one.flags.includes('file'),
      })),
      { word: '--help', description: 'display help', values: null, source: '', takesFile: false },
    ],
    values: command.registeredArguments[0]?.argChoices ?? [],
  };
  return [made, ...command.commands.flatMap(one => treeOf(one, [...path, one.name()]))];
}

/** The values of an option; of a list, the words that it may be made of. */
function valuesOf(one: Option & { readonly words?: readonly string[] }): readonly string[] {
  return one.argChoices ?? one.words ?? [];
}

function firstClause(text: string): string {
  return text.split(/[;:,(]/, 1)[0]?.trim() ?? '';
}
