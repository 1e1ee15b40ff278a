/** Commands on what belongs to an account, which is chosen as for `send`. */
import type { Command } from 'commander';
import { chooseAccount } from './choose-account.ts';
import { addCommand, inSession, type Session } from './gateway/session.ts';

/** The option that they all have. */
export interface AccountOption {
  readonly account?: string;
}

/** Adds such a command. `words` are its name and its arguments. */
export function addAccountCommand(group: Command, words: string, description: string): Command {
  const option = 'the account; the only one or the demo account where it is not given';
  return addCommand(group, words, description).option('--account <accountId>', option);
}

/** Runs it for the account that was chosen. @throws Refusal */
export async function inAccount(
  command: Command,
  { account }: AccountOption,
  run: (session: Session, accountId: string) => Promise<void>,
): Promise<void> {
  await inSession(command, async session => run(session, await chooseAccount(session.operator, account)));
}
