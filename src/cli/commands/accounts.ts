/** `account create`, `account list` and `account set`. */
import { type Command, Option } from 'commander';
import { addCommand, inSession } from '../gateway/session.ts';
import { type AccountData, OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, table } from '../output.ts';
import { type Given, readPlanEnd, readRateLimit } from '../values.ts';

interface SetOptions {
  readonly unifiedApi?: 'on' | 'off';
  readonly planExpires?: Given<string>;
  readonly rateLimit?: Given<number>;
}

/** Adds the commands on accounts. */
export function addAccountCommands(program: Command): void {
  const group = program.command('account').description('accounts, their plan and their limit');
  addCommand(group, 'create <name>', 'create an account').action((name: string, _options: object, command: Command) =>
    inSession(command, async ({ operator, out }) => {
      out.show(await operator.run(OPERATIONS.createAccount, { input: { name } }), account => accounts([account]));
    }),
  );
  addCommand(group, 'list', 'list every account, oldest first').action((_options: object, command: Command) =>
    inSession(command, async ({ operator, out }) => {
      const found = await operator.run(OPERATIONS.accounts, {});
      out.show(found, accounts);
      if (found.length === 0) out.say('There is no account yet.');
    }),
  );
  addCommand(group, 'set <accountId>', 'set plan and limit of an account; what is not given stays as it is')
    .addOption(new Option('--unified-api <on|off>', 'switch the unified API').choices(['on', 'off']))
    .option('--plan-expires <time|never>', 'when the plan ends, an ISO 8601 time', readPlanEnd)
    .option('--rate-limit <n|none>', 'requests a second for each token', readRateLimit)
    .action((accountId: string, options: SetOptions, command: Command) => setAccount(accountId, options, command));
}

async function setAccount(accountId: string, options: SetOptions, command: Command): Promise<void> {
  const { unifiedApi, planExpires, rateLimit } = options;
  if (unifiedApi === undefined && planExpires === undefined && rateLimit === undefined)
    command.error('error: give at least one of --unified-api, --plan-expires and --rate-limit');
  const input = {
    accountId,
    unifiedApi: unifiedApi === undefined ? undefined : unifiedApi === 'on',
    planExpiresAt: planExpires?.value,
    rateLimit: rateLimit?.value,
  };
  await inSession(command, async ({ operator, out }) => {
    out.show(await operator.run(OPERATIONS.updateAccount, { input }), account => accounts([account]));
  });
}

function accounts(rows: readonly AccountData[]): string {
  return table(
    ['ACCOUNT', 'NAME', 'UNIFIED API', 'PLAN EXPIRES', 'RATE LIMIT', 'CREDITS'],
    rows.map(row => [
      row.accountId,
      row.name,
      row.unifiedApi ? 'on' : 'off',
      row.planExpiresAt ?? 'never',
      row.rateLimit === null ? 'none' : orDash(row.rateLimit),
      String(row.credits),
    ]),
  );
}
