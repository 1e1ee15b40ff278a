/** Accounts in GraphQL: what a token sees of its own account, and the operator's fields. */

import { requireAccount } from '../../context.ts';
import { migrate } from '../../db/migrate.ts';
import { Account } from '../../modules/accounts/account.entity.ts';
import {
  createAccount,
  createAccountInput,
  getAccount,
  listAccounts,
  updateAccount,
  updateAccountInput,
} from '../../modules/accounts/manage-accounts.ts';
import {
  addSender,
  approveSender,
  listSenders,
  senderInput,
  setTemplateRequired,
  setTemplateRequiredInput,
} from '../../modules/accounts/manage-senders.ts';
import { Sender } from '../../modules/accounts/sender.entity.ts';
import { updateRegion, updateRegionInput } from '../../modules/accounts/settings/update-region.ts';
import { type DemoFile, ensureDemo } from '../../modules/demo/seed-demo.ts';
import { isSandboxed } from '../../modules/sandbox/is-sandboxed.ts';
import { builder } from '../builder.ts';
import { ChannelEnum, SuccessStatusEnum } from '../enums.ts';
import { byInput } from '../from-zod.ts';

/** An account. */
export const AccountRef = builder.objectType(Account, {
  name: 'Account',
  description: 'One customer of the gateway.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `accountId`, for client caches.'),
    accountId: t.member('id', 'String', 'Id of the account, `acc_…`.'),
    name: t.member('name', 'String', 'Its name, for people.'),
    unifiedApi: t.member('unifiedApi', 'Boolean', 'Whether the unified API is on.'),
    planExpiresAt: t.nullable('planExpiresAt', 'DateTime', 'When the plan ends; null: never.'),
    credits: t.member('credits', 'NonNegativeInt', 'SMS credits; one pays one segment.'),
    rateLimit: t.nullable('rateLimit', 'PositiveInt', 'Requests a second for each token; null: no limit.'),
    smartEncoding: t.member(
      'smartEncoding',
      'Boolean',
      'Whether the SMS of its messages go out with typographic characters as GSM ones.',
    ),
    fallbackAfter: t.nullable(
      'fallbackAfter',
      'PositiveInt',
      'Seconds after which the next channel follows one that accepted, where a send names none; null: none follows.',
    ),
    successStatus: t.member(
      'successStatus',
      SuccessStatusEnum,
      'The status that an accepted channel has to reach in time, where a send names none.',
    ),
    timeZone: t.member(
      'timeZone',
      'String',
      'Its time zone, an IANA name like `Europe/Berlin`. Pages may show times in it.',
    ),
    country: t.nullable(
      'country',
      'String',
      'Its country, ISO 3166-1 alpha-2: pages read national numbers by it; null: not set.',
    ),
    isSandboxed: t.boolean({
      description: 'Whether the sandbox takes what it sends: it has no connection, own or shared, and `SANDBOX` is on.',
      resolve: ({ id }, _args, ctx) => isSandboxed(ctx, id),
    }),
    logsAccepted: t.member(
      'logsAccepted',
      'Boolean',
      'Whether the request log keeps accepted requests of its tokens, too.',
    ),
    requestLogDays: t.int({
      description: 'How many days the request log is kept (`REQUEST_LOG_DAYS`).',
      resolve: (_account, _args, ctx) => ctx.services.settings.requestLogDays,
    }),
    secondFactorRequired: t.member(
      'secondFactorRequired',
      'Boolean',
      'Whether everybody who signs in to it by password must have a second factor.',
    ),
    createdAt: t.member('createdAt', 'DateTime', 'When it was created.'),
  }),
});

const SenderRef = builder.objectType(Sender, {
  name: 'Sender',
  description: 'An SMS sender name or a chat number of an account.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the sender, `snd_…`.'),
    channel: t.member('channel', ChannelEnum, 'The channel that it sends over.'),
    name: t.member('address', 'String', 'The sender name, or the number in digits-only form.'),
    approved: t.boolean({ description: 'Whether it may be used.', resolve: sender => sender.approvedAt != null }),
    approvedAt: t.nullable('approvedAt', 'DateTime', 'When it was approved; null: not yet.'),
    isDefault: t.member('isDefault', 'Boolean', 'Whether it is used where a request names none.'),
    templateRequired: t.member(
      'templateRequired',
      'Boolean',
      'Whether a message by the cloud number always needs a template; false: only where the recipient has not written to it for 24 hours. Of another sender it says nothing.',
    ),
    createdAt: t.member('createdAt', 'DateTime', 'When it was added.'),
  }),
});

const DemoRef = builder.objectRef<DemoFile>('DemoCredentials').implement({
  description: 'What opens the demo account: the content of `demo.json`.',
  fields: t => ({
    url: t.member('url', 'String', 'Where the gateway answers.'),
    accountId: t.member('accountId', 'String', 'The demo account.'),
    tokens: t.member('tokens', 'JSONObject', 'A token of each area, by area.'),
    dashboard: t.member('dashboard', 'JSONObject', 'E-mail and password of its dashboard user.'),
  }),
});

const accountIdArg = 'The account, for an operator; absent: the account of the token.';

builder.queryFields(t => ({
  account: t.field({
    type: AccountRef,
    description: 'The account of the token.',
    policy: { opens: 'any' },
    resolve: (_root, _args, ctx) => getAccount(ctx.em, requireAccount(ctx).account.id),
  }),
  senders: t.field({
    type: [SenderRef],
    description: 'The senders of the account, oldest first. Any token; with `accountId`: the operator.',
    policy: { opens: 'any' },
    args: { accountId: t.arg.string({ description: accountIdArg }) },
    resolve: (_root, { accountId }, ctx) => listSenders(ctx, accountId ?? null),
  }),
  accounts: t.field({
    type: [AccountRef],
    description: 'Every account, oldest first. The operator only.',
    policy: { opens: 'operator' },
    resolve: (_root, _args, ctx) => listAccounts(ctx),
  }),
}));

builder.mutationFields(t => ({
  createAccount: t.field({
    type: AccountRef,
    description: 'Creates an account. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(createAccountInput, 'The account.', createAccount),
  }),
  updateAccount: t.field({
    type: AccountRef,
    description: 'Sets plan, limit, encoding and fallback in time of an account. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(updateAccountInput, 'What changes.', updateAccount),
  }),
  updateRegion: t.field({
    type: AccountRef,
    description: 'Sets time zone and country of the account, for pages alone. Token: management.',
    policy: { opens: ['management'] },
    ...byInput(updateRegionInput, 'What changes.', updateRegion),
  }),
  addSender: t.field({
    type: SenderRef,
    description: 'Adds a sender, not approved yet. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(senderInput, 'The sender.', addSender),
  }),
  approveSender: t.field({
    type: SenderRef,
    description: 'Approves a sender. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(senderInput, 'The sender.', approveSender),
  }),
  setTemplateRequired: t.field({
    type: SenderRef,
    description: 'Sets when a message by a cloud number needs a template. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(setTemplateRequiredInput, 'The number and its rule.', setTemplateRequired),
  }),
  seedDemo: t.field({
    type: DemoRef,
    description: 'Makes the demo account, or answers what opens it. Safe to repeat. The operator only.',
    policy: { opens: 'operator' },
    resolve: (_root, _args, ctx) => ensureDemo(ctx),
  }),
  migrate: t.stringList({
    description: 'Brings the schema of the database up to date; answers the migrations that ran. The operator only.',
    policy: { opens: 'operator', deadlineFor: 'tokens' },
    resolve: (_root, _args, ctx) => migrate(ctx.services.database),
  }),
}));
