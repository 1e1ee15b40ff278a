/** Options of commands as tables, from which the types of their values follow. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { canAsk } from './terminal/ask.ts';

/** An option, by the type of its value. */
export interface OptionRow<Value> {
  /** The option under its name in the table: `sendsPerDay` is `--sends-per-day`. */
  make(name: string): Option;
  /** Never there: it carries the type. */
  readonly type?: Value;
}

/** The options of a command by their names. */
export type OptionTable = Readonly<Record<string, OptionRow<unknown>>>;

/** The values that a command was given. */
export type ValuesOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends OptionRow<infer Value> ? Value : never;
};

/** One of some values, or what a reader makes of the text. */
type Read<Value> = readonly Value[] | ((text: string) => Value);

/** An option with a value, as `read` reads it; without `read` it is the text. `value` is what help calls it. */
export function option<const Value = string>(
  value: string,
  description: string,
  read?: Read<Value>,
): OptionRow<Value | undefined> {
  return { make: name => makeOption(name, ` ${value}`, description, read) };
}

/** An option that must be given. */
export function required<const Value = string>(
  value: string,
  description: string,
  read?: Read<Value>,
): OptionRow<Value> {
  return { make: name => Object.assign(makeOption(name, ` ${value}`, `${description} (required)`, read), IS_REQUIRED) };
}

/** An option that must be given where nobody can be asked for it. */
export function asked<const Value = string>(
  value: string,
  description: string,
  read?: Read<Value>,
): OptionRow<Value | undefined> {
  return { make: name => Object.assign(required(value, description, read).make(name), { isAsked: true }) };
}

/** An option without a value, which goes with none of `conflicts`. */
export function flag(description: string, ...conflicts: string[]): OptionRow<true | undefined> {
  return { make: name => makeOption(name, '', description).conflicts(conflicts) };
}

/** An option that becomes another field of the API than its name says, as the API's errors call it. */
export function fieldOf<Value>(field: string, row: OptionRow<Value>): OptionRow<Value> {
  return { make: name => Object.assign(row.make(name), { field }) };
}

/** An option whose values the shell asks a command for, by its words. */
export function askedOf<Value>(words: string, row: OptionRow<Value>): OptionRow<Value> {
  return { make: name => Object.assign(row.make(name), { source: words }) };
}

function makeOption(name: string, value: string, description: string, read?: Read<unknown>): Option {
  const long = name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
  const made = new Option(`--${long}${value}`, description);
  if (value === '') return made;
  if (Array.isArray(read)) made.choices(read.map(String));
  const parse = typeof read === 'function' ? read : made.parseArg;
  if (typeof read === 'function' && 'words' in read) Object.assign(made, { words: read.words });
  // Commander itself takes the last of several, and hands the one before to a parser.
  return made.argParser((text, before) => {
    if (before !== undefined) throw new InvalidArgumentError('Give it once.');
    return parse ? parse.call(made, text, undefined) : text;
  });
}

const AND = new Intl.ListFormat('en-GB');

/** Marks an option that must be given. Commander names one that is missing; `needsRequired` names them all. */
const IS_REQUIRED = { isRequired: true } as const;

/** A check before a command runs: it is wrong usage to leave out what must be given. */
export function needsRequired(command: Command): void {
  const given = command.opts();
  const isAsked = (one: Option): boolean => 'isAsked' in one && canAsk();
  const missing = command.options.filter(
    one => 'isRequired' in one && given[one.attributeName()] === undefined && !isAsked(one),
  );
  if (missing.length === 0) return;
  const named = AND.format(missing.map(({ flags }) => `'${flags}'`));
  command.error(`error: required option${missing.length === 1 ? '' : 's'} ${named} not specified`);
}

/** Options that say how a command runs, and nothing to the API. */
const MANNERS: ReadonlySet<string> = new Set(['json', 'wide', 'yes', 'account', 'profile']);

/** A check before a command runs: it is wrong usage to give none of its own options. */
export function needsSome(command: Command): void {
  const own = command.options.filter(one => !MANNERS.has(one.attributeName()));
  const given = command.opts();
  if (own.some(one => given[one.attributeName()] !== undefined)) return;
  command.error(`error: give at least one of ${AND.format(own.map(({ long }) => String(long)))}`);
}

/** The fields of arguments that the API has another name for. */
const ARGUMENT_FIELDS: Readonly<Record<string, string>> = { cloudNumber: 'address', message: 'reference' };

/**
 * The user's name for a field of the API: `--cloud-template (name)` for `cloudTemplate.name`, `<accountId>` for an argument. A field that
 * the command has no word for stays as it is.
 */
export function nameOfField(field: string, command: Command): string {
  const path = field.split('.').filter(part => part !== 'input' && part !== 'filter');
  const [first = '', ...rest] = path;
  // The place in a list that was typed in one word says nothing.
  const inside = rest.length === 0 || /^\d+$/.test(rest.join('.')) ? '' : ` (${rest.join('.')})`;
  const found = command.options.find(one => ('field' in one ? one.field : one.attributeName()) === first);
  if (found) return `${found.long}${inside}`;
  const argument = command.registeredArguments.find(one => (ARGUMENT_FIELDS[one.name()] ?? one.name()) === first);
  return argument ? `<${argument.name()}>${inside}` : field;
}
