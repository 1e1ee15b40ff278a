/** Money in GraphQL: the balance of an account, its ledger, and the operator's fields. */
import { adjustBalance, adjustBalanceInput } from '../../modules/billing/adjust-balance.ts';
import { type Balance, balance } from '../../modules/billing/balance.ts';
import { balancesAfter } from '../../modules/billing/balance-after.ts';
import { LEDGER_KINDS, LedgerEntry } from '../../modules/billing/ledger-entry.entity.ts';
import { listLedgerInput } from '../../modules/billing/ledger-filter.input.ts';
import { listLedger } from '../../modules/billing/list-ledger.ts';
import { LEDGER_FAULTS } from '../../modules/billing/reconcile.sql.ts';
import { findLedgerFaults, type LedgerFault } from '../../modules/billing/reconcile.ts';
import { updateBilling, updateBillingInput } from '../../modules/billing/update-billing.ts';
import { creditDaysInput } from '../../modules/figures/credits/credit-days.input.ts';
import { type CreditDay, type CreditSpend, creditDays } from '../../modules/figures/credits/credit-days.ts';
import { type CreditForecast, forecastCredits } from '../../modules/figures/credits/forecast.ts';
import { type AttemptedSend, findSends } from '../../modules/logs/find-sends.ts';
import { builder } from '../builder.ts';
import { connectionOf, SHORT_PAGES, toConnection } from '../connection.ts';
import { ChannelEnum, PurposeEnum } from '../enums.ts';
import { argsFrom, byArgs, byInput, defineEnum } from '../from-zod.ts';

const LedgerKindEnum = defineEnum('LedgerKind', LEDGER_KINDS, 'What an entry of the ledger is.', {
  adjustment: 'The operator gave credits or took them away; `reason` says why.',
  hold: 'Of former releases: a send kept what its SMS would cost. Now `held` of the balance says so.',
  capture: 'The provider accepted it: what was held is spent.',
  release: 'Of former releases: the provider did not accept it, and the hold could be spent again.',
  charge: 'A receipt proved later that the provider had accepted it: it is paid, with what there is.',
});

const LedgerFaultKindEnum = defineEnum('LedgerFaultKind', LEDGER_FAULTS, 'What is wrong with the ledger.', {
  balance_differs: 'What an account can spend and holds is not the sum of its ledger.',
  hold_left: 'An account holds other credits than its sends under way.',
  ends_differ: 'An attempt was paid for twice.',
  cost_differs: 'An attempt says another cost than its entries.',
});

const CreditForecastRef = builder.objectRef<CreditForecast>('CreditForecast').implement({
  description: 'How long credits last. The overview and the event `balance.low` say the same.',
  fields: t => ({
    perDay: t.member('perDay', 'Float', 'Credits that a day costs, at the pace of the last 7 days.'),
    lastsDays: t.nullable(
      'lastsDays',
      'Float',
      'Days that the credits last at that pace, or at that since the account was made, a day at least; null: none were spent.',
    ),
  }),
});

const BalanceRef = builder.objectRef<Balance>('Balance').implement({
  description:
    'What an account can spend, what its sends hold, and what it was set to. One credit pays one SMS segment.',
  fields: t => ({
    id: t.member('accountId', 'ID', 'The same as `accountId`, for client caches.'),
    accountId: t.member('accountId', 'String', 'The account, `acc_…`.'),
    credits: t.member('credits', 'NonNegativeInt', 'Credits that can be spent; what is held is not among them.'),
    held: t.member('held', 'NonNegativeInt', 'Credits that sends under way hold until their outcome is known.'),
    lowBalanceThreshold: t.nullable(
      'lowBalanceThreshold',
      'PositiveInt',
      'Below so many credits the balance is low, and `balance.low` is told; null: it never is.',
    ),
    lowBalanceSince: t.nullable('lowBalanceSince', 'DateTime', 'Since when the balance is low; null: it is not.'),
    dailySpendCap: t.nullable(
      'dailySpendCap',
      'NonNegativeInt',
      'The most credits that sends may cost in a day (UTC); null: as many as there are.',
    ),
    spentToday: t.member('spentToday', 'NonNegativeInt', 'Credits that sends have cost or hold today (UTC).'),
    forecast: t.field({
      type: CreditForecastRef,
      // The forecast reads the figures of a week.
      complexity: 20,
      description: 'How long the credits last.',
      resolve: (row, _args, ctx) =>
        forecastCredits(ctx.services.database.sql(ctx.signal), row, ctx.clock.now().getTime()),
    }),
  }),
});

const AttemptedSendRef = builder.objectRef<AttemptedSend>('AttemptedSend').implement({
  description: 'What an attempt was made of; one of the two is null.',
  fields: t => ({
    messageId: t.nullable('messageId', 'String', 'Its message, `msg_…`.'),
    pinId: t.nullable('pinId', 'String', 'Its passcode, `pin_…`.'),
  }),
});

const UNCACHED = { cache: false };

const LedgerEntryRef = builder.objectType(LedgerEntry, {
  name: 'LedgerEntry',
  description: 'One change of a balance. Entries are never changed, and their credits sum up to the balance.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the entry, `led_…`.'),
    kind: t.member('kind', LedgerKindEnum, 'What it is.'),
    credits: t.member('credits', 'Int', 'What it changes of the balance, which is what can be spent and what is held.'),
    held: t.member('held', 'Int', 'What it changes of the credits that are held.'),
    attemptId: t.nullable('attemptId', 'String', 'The SMS attempt that it pays for, `att_…`; null on adjustments.'),
    send: t.loadable({
      type: AttemptedSendRef,
      nullable: true,
      description: 'What that attempt was made of; null on adjustments, and where the log has it no more.',
      resolve: ({ attemptId }) => attemptId,
      load: (ids: string[], ctx) => findSends(ctx, ids),
      loaderOptions: UNCACHED,
    }),
    balance: t.loadable({
      type: 'Int',
      nullable: true,
      description:
        'What the account had after it, what was held included; null where more than 100,000 entries are newer.',
      resolve: ({ id }) => id,
      load: (ids: string[], ctx) => balancesAfter(ctx, ids),
      loaderOptions: UNCACHED,
    }),
    reason: t.nullable('reason', 'String', 'Why it was adjusted; null on other entries.'),
    reference: t.nullable('reference', 'String', 'The reference of an adjustment; null where none was given.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was booked.'),
  }),
});

const CreditSpendRef = builder.objectRef<CreditSpend>('CreditSpend').implement({
  description: 'Credits of a day over one channel.',
  fields: t => ({
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    purpose: t.member('purpose', PurposeEnum, 'What was sent.'),
    credits: t.member('credits', 'NonNegativeInt', 'What it cost.'),
  }),
});

const CreditDayRef = builder.objectRef<CreditDay>('CreditDay').implement({
  description: 'The credits of one day of UTC. What an attempt cost counts to the day on which it was begun.',
  fields: t => ({
    from: t.member('from', 'DateTime', 'When the day begins.'),
    spent: t.member('spent', 'NonNegativeInt', 'What sends cost.'),
    adjusted: t.member('adjusted', 'Int', 'What adjustments gave, less what they took away.'),
    balance: t.member('balance', 'Int', 'What there was at its end, what was held included; of today what there is.'),
    spending: t.member(
      'spending',
      [CreditSpendRef],
      'What sends cost, by channel and purpose; what cost nothing is left out.',
    ),
  }),
});

const LedgerFaultRef = builder.objectRef<LedgerFault>('LedgerFault').implement({
  description: 'Something that is wrong with the ledger.',
  fields: t => ({
    accountId: t.member('accountId', 'String', 'The account, `acc_…`.'),
    kind: t.member('kind', LedgerFaultKindEnum, 'What is wrong.'),
    attemptId: t.nullable(
      'attemptId',
      'String',
      'The attempt whose entries it is about, `att_…`; null: the whole account.',
    ),
    found: t.member(
      'found',
      'Float',
      'What is kept: the credits of the account with those held, those held, how many entries there are, or the cost that the attempt says.',
    ),
    expected: t.member('expected', 'Float', 'What it should be.'),
  }),
});

const LedgerConnection = connectionOf(LedgerEntryRef, 'Ledger', 'the ledger', 'An entry');

builder.queryFields(t => ({
  balance: t.field({
    type: BalanceRef,
    description: 'The balance of an account. Any token (its own account); the operator of any.',
    policy: { opens: 'any' },
    args: { accountId: t.arg.string({ description: 'The account; absent: the account of the token.' }) },
    resolve: (_root, { accountId }, ctx) => balance(ctx, accountId ?? null),
  }),
  ledger: t.field({
    type: LedgerConnection,
    description: `Every change of the balance of the account, newest first. ${SHORT_PAGES} Tokens: unified, sms, management.`,
    policy: { opens: ['unified', 'sms', 'management'] },
    ...argsFrom(listLedgerInput),
    resolve: async (_root, args, ctx) => toConnection(await listLedger(ctx, args)),
  }),
  creditDays: t.field({
    type: [CreditDayRef],
    // The field reads the figures of a month.
    complexity: 30,
    description: 'The last days of the account by what they cost, oldest first. Tokens: unified, management.',
    policy: { opens: ['unified', 'management'], plan: 'tokens' },
    ...byArgs(creditDaysInput, creditDays),
  }),
  ledgerFaults: t.field({
    type: [LedgerFaultRef],
    description:
      'What is wrong with the money of all accounts, at most 1,000 faults: none, unless something is broken. It reads the whole ledger. The operator only.',
    policy: { opens: 'operator', deadlineFor: 'tokens' },
    resolve: (_root, _args, ctx) => findLedgerFaults(ctx),
  }),
}));

builder.mutationFields(t => ({
  adjustBalance: t.field({
    type: BalanceRef,
    description: 'Gives credits to an account or takes them away, and answers its balance. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(adjustBalanceInput, 'The credits.', adjustBalance),
  }),
  updateBilling: t.field({
    type: BalanceRef,
    description: 'Sets the low-balance threshold and the daily spend cap of an account. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(updateBillingInput, 'What changes.', updateBilling),
  }),
}));
