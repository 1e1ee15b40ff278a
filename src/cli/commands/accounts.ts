/** `account create`, `account list` and `account set`. */
import type { Command } from 'commander';
import { SUCCESS_STATUSES } from '../../kernel/status.ts';
import { addCommand } from '../command.ts';
import { type AccountData, OPERATIONS } from '../operations/operations.generated.ts';
import { fieldOf, needsSome, option } from '../options.ts';
import { columnsOf } from '../output.ts';
import { enumName, isOn, ON_OFF, readFallbackAfter, readPlanEnd, readRateLimit } from '../values.ts';

const ACCOUNTS = columnsOf<AccountData>({
  ACCOUNT: 'accountId',
  NAME: 'name',
  'UNIFIED API': row => (row.unifiedApi ? 'on' : 'off'),
  'PLAN EXPIRES': row => row.planExpiresAt ?? 'never',
  'RATE LIMIT': row => row.rateLimit ?? 'none',
  'FALLBACK AFTER': row => (row.fallbackAfter === null ? 'off' : `${row.fallbackAfter} s`),
  'SMART ENCODING': row => (row.smartEncoding ? 'on' : 'off'),
  'LOG ACCEPTED': row => (row.logsAccepted ? 'on' : 'off'),
  'SECOND FACTOR': row => (row.secondFactorRequired ? 'required' : 'optional'),
  CREDITS: 'credits',
});

const SET = {
  unifiedApi: option('<on|off>', 'switch the unified API', ON_OFF),
  planExpires: fieldOf('planExpiresAt', option('<time|never>', 'when the plan ends, an ISO 8601 time', readPlanEnd)),
  rateLimit: option('<n|none>', 'requests a second for each token', readRateLimit),
  smartEncoding: option('<on|off>', 'send typographic characters of SMS as GSM ones', ON_OFF),
  fallbackAfter: option(
    '<seconds|none>',
    'let the next channel follow one that did not deliver by then, 15 to 3600, where a send names none',
    readFallbackAfter,
  ),
  successStatus: option('<status>', 'what a channel has to reach by then', SUCCESS_STATUSES),
  logAccepted: option('<on|off>', 'keep accepted requests in the request log, too', ON_OFF),
  requireSecondFactor: option('<on|off>', 'require a second factor of everybody who signs in by password', ON_OFF),
};

/** Adds the commands on accounts. */
export function addAccountCommands(program: Command): void {
  const group = program.command('account').description('accounts, their plan, limit, encoding and fallback in time');
  addCommand(group, 'create <name>', 'create an account', {}, async ({ operator, out }, name: string) => {
    out.show(await operator.run(OPERATIONS.createAccount, { input: { name } }), ACCOUNTS.one);
  });
  addCommand(group, 'list', 'list every account, oldest first', {}, async ({ operator, out }) => {
    out.list(await operator.run(OPERATIONS.accounts, {}), ACCOUNTS, 'There is no account yet.');
  });
  const description = 'set plan, limit, encoding and fallback in time of an account; what is not given stays as it is';
  addCommand(group, 'set <accountId>', description, SET, async ({ operator, out, options }, accountId: string) => {
    const { unifiedApi, planExpires, rateLimit, smartEncoding, fallbackAfter, successStatus } = options;
    const accepted = isOn(options.logAccepted);
    if (accepted !== undefined) await operator.run(OPERATIONS.updateRequestLog, { input: { accountId, accepted } });
    const isRequired = isOn(options.requireSecondFactor);
    if (isRequired !== undefined)
      await operator.run(OPERATIONS.requireSecondFactor, { input: { accountId, isRequired } });
    const input = {
      accountId,
      unifiedApi: isOn(unifiedApi),
      planExpiresAt: planExpires?.value,
      rateLimit: rateLimit?.value,
      smartEncoding: isOn(smartEncoding),
      fallbackAfter: fallbackAfter?.value,
      successStatus: enumName(successStatus),
    };
    out.show(await operator.run(OPERATIONS.updateAccount, { input }), ACCOUNTS.one);
  }).hook('preAction', needsSome);
}
