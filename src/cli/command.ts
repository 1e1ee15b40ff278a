/** How commands are added, and what each is given to run with. */
import type { Command, CommandOptions } from 'commander';
import { readConfig } from '../config.ts';
import { type ConnectOptions, connect, connectTo } from './gateway/connect.ts';
import type { Operator } from './gateway/operator.ts';
import { OPERATIONS } from './operations/operations.generated.ts';
import { nameOfField, needsRequired, type OptionTable, option, type ValuesOf } from './options.ts';
import { createOutput, type Output, say } from './output.ts';
import { Refusal } from './refusal.ts';

/** One run of a command. */
export interface Session {
  readonly operator: Operator;
  readonly out: Output;
}

/** One run of a command for an account. */
export interface AccountSession extends Session {
  readonly accountId: string;
}

/** One who asks for an account: an operator who names the account, or a token of that account. */
export interface Asker {
  readonly operator: Operator;
  readonly accountId: string | undefined;
}

/** Runs a command, by its options and its arguments. */
type Run<Of, Options, Args extends unknown[]> = (
  session: Of & { readonly options: ValuesOf<Options> },
  ...args: Args
) => Promise<void>;

/** `--account`, which every command on the things of an account has. */
export const ACCOUNT_OPTION = option(
  '<accountId>',
  'the account; the only one or the demo account where it is not given',
);

/** Adds a command. `usage` is its name and its arguments, which `run` gets after the session. */
export function addCommand<Options extends OptionTable, Args extends unknown[]>(
  parent: Command,
  usage: string,
  description: string,
  options: Options,
  run: Run<Session, Options, Args>,
  connectOptions: ConnectOptions = {},
): Command {
  return addBareCommand(parent, usage, description, options).action(function (...args: Args): Promise<void> {
    const options = this.opts<ValuesOf<Options>>();
    return inSession(this, session => run({ ...session, options }, ...args), connectOptions);
  });
}

/** Adds a command that runs for an account, which is chosen as for `send`. */
export function addAccountCommand<Options extends OptionTable, Args extends unknown[]>(
  parent: Command,
  usage: string,
  description: string,
  options: Options,
  run: Run<AccountSession, Options, Args>,
  place: CommandOptions = {},
): Command {
  const withAccount = { account: ACCOUNT_OPTION, ...options };
  return addBareCommand(parent, usage, description, withAccount, place).action(function (...args: Args): Promise<void> {
    const options = this.opts<ValuesOf<Options> & { readonly account?: string }>();
    return inSession(this, async session => {
      const accountId = await chooseAccount(session.operator, options.account);
      await run({ ...session, accountId, options }, ...args);
    });
  });
}

/** Adds a command with its options, and without what it does; `place` may make it what its group does by itself. */
export function addBareCommand(
  parent: Command,
  usage: string,
  description: string,
  options: OptionTable,
  place: CommandOptions = {},
): Command {
  const command = parent.command(usage, place).description(description);
  for (const [name, row] of Object.entries(options)) command.addOption(row.make(name));
  return command.hook('preAction', needsRequired);
}

/** Connects as the operator, runs the command, and closes what was opened, whatever happened. */
export async function inSession(
  command: Command,
  run: (session: Session) => Promise<void>,
  options: ConnectOptions = {},
): Promise<void> {
  const { profile } = command.optsWithGlobals<{ readonly profile?: string }>();
  const operator = profile === undefined ? await connect(readConfig(), say, options) : connectTo(profile);
  try {
    await run({ operator, out: outputOf(command) });
  } catch (error) {
    throw error instanceof Refusal ? error.renamed(field => nameOfField(field, command)) : error;
  } finally {
    await operator.close();
  }
}

/** The output of a command, as its options say. */
export function outputOf(command: Command): Output {
  return createOutput(command.optsWithGlobals());
}

/** The account that was named, else the only one there is, else the demo account. @throws Refusal where that names none. */
export async function chooseAccount(operator: Operator, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const accounts = await operator.run(OPERATIONS.accounts, {});
  const [first, second] = accounts;
  if (!first) throw new Refusal('not_found', 'There is no account yet. Make one with "account create" or with "demo".');
  if (!second) return first.accountId;
  const { DEMO_ACCOUNT } = await import('../modules/demo/seed-demo.ts');
  const demo = accounts.find(account => account.name === DEMO_ACCOUNT);
  if (!demo) throw new Refusal('invalid_input', 'There are several accounts. Name one with --account.');
  return demo.accountId;
}
