/** `alert list`, `add`, `set`, `remove` and `test`: what an account is told of, and where. */
import type { Command } from 'commander';
import { ALERT_KINDS } from '../../modules/answers/alert-kind.ts';
import { addAccountCommand } from '../command.ts';
import { type AlertRuleData, OPERATIONS } from '../operations/operations.generated.ts';
import { fieldOf, flag, needsSome, option, required, type ValuesOf } from '../options.ts';
import { columnsOf } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { confirmed } from '../terminal/confirm.ts';
import { enumName, type Given, readWhole } from '../values.ts';

const RULES = columnsOf<AlertRuleData>({
  RULE: 'id',
  KIND: 'kind',
  THRESHOLD: 'threshold',
  LASTING: row => `${row.lastingMinutes} min`,
  QUIET: row => `${row.quietMinutes} min`,
  STATE: row => (row.paused ? 'paused' : row.open > 0 ? `${row.open} open` : 'all well'),
  'TOLD TO': row => [...row.mail, row.slackHost].filter(way => way !== null).join(',') || null,
});

/** The outcome of a test at one address or endpoint. */
const TOLD = columnsOf<{ readonly to: string; readonly error: string | null }>({
  'TOLD TO': 'to',
  ANSWER: row => row.error ?? 'taken',
});

const NUMBER_MAX = 2_147_483_647;

const NUMBERS = {
  threshold: option('<n>', 'the credits, days, per cent or passcodes at which it tells', readWhole(1, NUMBER_MAX)),
  lasting: fieldOf('lastingMinutes', option('<min>', 'for how many minutes it must last', readWhole(0, NUMBER_MAX))),
  quiet: fieldOf(
    'quietMinutes',
    option('<min>', 'for how many minutes nothing more is told of the same thing', readWhole(0, NUMBER_MAX)),
  ),
};

const ADD = {
  kind: required('<kind>', 'what it is about', ALERT_KINDS),
  ...NUMBERS,
  mail: option('<list>', 'the addresses that get a mail, separated by commas', readAddresses),
  slackUrl: option('<url>', 'a URL that takes {"text": "…"}; it is never shown again'),
};

const SET = {
  ...NUMBERS,
  mail: option('<list|none>', 'the addresses that get a mail, separated by commas', readAddressesOrNone),
  slackUrl: option('<url|none>', 'a URL that takes {"text": "…"}; it is never shown again', readTextOrNone),
  pause: flag('tell nothing from now on', 'resume'),
  resume: flag('tell again'),
};

/** Adds the commands on alert rules. */
export function addAlertCommands(program: Command): void {
  const group = program.command('alert').description('what an account is told of: rules, and where they tell');
  addAccountCommand(group, 'list', 'list the rules, oldest first', {}, async ({ operator, out, accountId }) => {
    const rules = await operator.run(OPERATIONS.alertRules, {}, accountId);
    out.list(rules, RULES, 'The account has no alert rule yet.');
  });
  const add = 'add a rule; what is not given is as it is offered for its kind';
  addAccountCommand(group, 'add', add, ADD, async ({ operator, out, accountId, options }) => {
    const { kind, mail, slackUrl } = options;
    const input = { kind: enumName(kind), ...numbersOf(options), mail, slackUrl };
    out.show(await operator.run(OPERATIONS.createAlertRule, { input }, accountId), RULES.one);
  });
  const set = 'change a rule; what is not given stays as it is';
  addAccountCommand(group, 'set <ruleId>', set, SET, async ({ operator, out, accountId, options }, ruleId: string) => {
    const { mail, slackUrl, pause, resume } = options;
    const paused = pause ? true : resume ? false : undefined;
    const input = { ruleId, ...numbersOf(options), mail, slackUrl: slackUrl?.value, paused };
    out.show(await operator.run(OPERATIONS.updateAlertRule, { input }, accountId), RULES.one);
  }).hook('preAction', needsSome);
  addRemove(group);
  addTest(group);
}

function addRemove(group: Command): void {
  const remove = 'remove a rule; what was told stays';
  const removing = addAccountCommand(
    group,
    'remove <ruleId>',
    remove,
    {},
    async ({ operator, out, accountId }, ruleId: string) => {
      out.show(await operator.run(OPERATIONS.deleteAlertRule, { ruleId }, accountId), RULES.one);
      out.say(`The rule ${ruleId} is removed: nobody is told of it any more.`);
    },
  );
  confirmed(removing, { question: ruleId => `Remove the rule ${ruleId}` });
}

function addTest(group: Command): void {
  const test = 'tell a sample of a rule by all of its ways, and show what is answered';
  addAccountCommand(group, 'test <ruleId>', test, {}, async ({ operator, out, accountId }, ruleId: string) => {
    const made = await operator.run(OPERATIONS.testAlertRule, { ruleId }, accountId);
    const told = [
      ...made.sends.map(({ target, error }) => ({ to: target, error })),
      ...made.tries.map(({ endpointId, errorMessage }) => ({ to: endpointId, error: errorMessage })),
    ];
    out.show(made, (_made, screen) => TOLD.table(told, screen));
    const failed = told.filter(({ error }) => error !== null).length;
    if (told.length === 0) out.say('Nobody is told: the rule names no address, and no endpoint gets alert.raised.');
    if (failed > 0) throw new Refusal(null, `Not taken by ${failed} of ${told.length}.`);
  });
}

function numbersOf({ threshold, lasting, quiet }: ValuesOf<typeof NUMBERS>) {
  return { threshold, lastingMinutes: lasting, quietMinutes: quiet };
}

/** Addresses separated by commas, which the API checks. */
function readAddresses(value: string): string[] {
  return value.split(',').map(address => address.trim());
}

function readAddressesOrNone(value: string): string[] {
  return value === 'none' ? [] : readAddresses(value);
}

function readTextOrNone(value: string): Given<string> {
  return { value: value === 'none' ? null : value };
}
