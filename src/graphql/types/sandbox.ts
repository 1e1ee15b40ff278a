/** The sandbox's phones in GraphQL. */
import type { Ctx } from '../../context.ts';
import type { Attempt } from '../../modules/routing/attempt.entity.ts';
import { clearPhones } from '../../modules/sandbox/clear-phones.ts';
import {
  type AboutText,
  aboutTexts,
  followTexts,
  listPhones,
  type SandboxPhone,
  textOf,
} from '../../modules/sandbox/list-phones.ts';
import { listSandboxMessages } from '../../modules/sandbox/list-sandbox-messages.ts';
import { orderNextReceipt, reportText } from '../../modules/sandbox/order-receipts.ts';
import { sandboxReplyInput } from '../../modules/sandbox/replies/reply-from-phone.input.ts';
import { replyFromPhone } from '../../modules/sandbox/replies/reply-from-phone.ts';
import { SandboxMessage } from '../../modules/sandbox/sandbox-message.entity.ts';
import {
  SANDBOX_OUTCOMES,
  sandboxNextReceiptInput,
  sandboxReceiptInput,
} from '../../modules/sandbox/sandbox-receipt.input.ts';
import { waitForArrivalInput } from '../../modules/sandbox/wait-for-arrival.input.ts';
import { type SandboxCode, waitForCode, waitForText } from '../../modules/sandbox/wait-for-arrival.ts';
import { builder } from '../builder.ts';
import { ChannelEnum, StatusEnum } from '../enums.ts';
import { byArgs, byInput, defineEnum } from '../from-zod.ts';
import { loadTogether } from '../held-or-loaded.ts';
import { InboundMessageRef } from './inbound/inbound.ts';

const SandboxAboutRef = builder.objectRef<AboutText>('SandboxAbout').implement({
  description: 'What the gateway knows of a text on a phone of the sandbox.',
  fields: t => ({
    messageId: t.nullable('messageId', 'String', 'Its message; null: it is of a passcode.'),
    pinId: t.nullable('pinId', 'String', 'Its passcode; null: it is of a message.'),
    attemptId: t.member('attemptId', 'String', 'The attempt that brought it.'),
    status: t.member('status', StatusEnum, 'Where that attempt stands, by what the phone has reported.'),
    code: t.nullable('code', 'String', 'The code that stands in it; null: none, or its passcode is forgotten.'),
    isVerified: t.nullable(
      'isVerified',
      'Boolean',
      'Whether its code was given; null: it has none, or it is forgotten.',
    ),
  }),
});

const loadAbout = loadTogether(aboutTexts);

const abouts = new WeakMap<SandboxMessage, Promise<AboutText | null>>();

/** Loads the send of a text: one query for all texts of a request, shared by all followers of a text. */
function aboutText(ctx: Ctx, text: SandboxMessage): Promise<AboutText | null> {
  const about = abouts.get(text) ?? loadAbout(ctx, text);
  abouts.set(text, about);
  return about;
}

const SandboxMessageRef = builder.objectType(SandboxMessage, {
  name: 'SandboxMessage',
  description: 'A text as it arrived on a phone of the sandbox. Kept for 24 hours, the newest 1,000 of an account.',
  fields: t => ({
    id: t.member('id', 'ID', 'Id of the arrival.'),
    to: t.member('recipient', 'String', 'The phone, in digits-only form.'),
    channel: t.member('channel', ChannelEnum, 'The channel that it came over.'),
    from: t.nullable('sender', 'String', 'The sender name or number that the phone shows.'),
    text: t.member('text', 'String', 'The text as it arrived.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it arrived.'),
    about: t.field({
      type: SandboxAboutRef,
      nullable: true,
      description: 'What the gateway knows of it; null: its send is not stored yet, or is forgotten.',
      resolve: (text, _args, ctx) => aboutText(ctx, text),
    }),
  }),
});

const SandboxPhoneRef = builder.objectRef<SandboxPhone>('SandboxPhone').implement({
  description: 'A phone of the sandbox that has texts.',
  fields: t => ({
    number: t.member('number', 'String', 'The phone, in digits-only form.'),
    count: t.member('count', 'NonNegativeInt', 'How many texts it has.'),
    last: t.member('last', SandboxMessageRef, 'The newest of them.'),
  }),
});

defineEnum('SandboxOutcome', SANDBOX_OUTCOMES, 'What a phone of the sandbox reports.', {
  delivered: 'The text has arrived.',
  read: 'It was opened.',
  failed: 'It could not be delivered.',
  expired: 'It was not delivered in its time.',
});

const SandboxCodeRef = builder.objectRef<SandboxCode>('SandboxCode').implement({
  description: 'The code of a passcode as it arrived on a phone of the sandbox.',
  fields: t => ({
    code: t.member('code', 'String', 'The code, digits.'),
    pinId: t.member('pinId', 'String', 'The passcode.'),
    message: t.member('message', SandboxMessageRef, 'The text that it stands in.'),
  }),
});

/** Phones show the texts of OTPs by number, so a role that sees numbers masked opens none of these fields. */
const PHONES = {
  opens: ['unified', 'management'],
  right: 'codes',
  isForServers: true,
} as const;

const forPhones = '`NOT_FOUND` where the sandbox is off. Tokens: unified, management.';

builder.subscriptionField('sandboxMessageAdded', t =>
  t.field({
    type: SandboxMessageRef,
    nullable: true,
    description: `Each text as it arrives at a phone of the sandbox, as soon as its send is stored; and again, with the same \`id\`, as soon as the phone has reported of it. Null: it is forgotten already. ${forPhones}`,
    policy: PHONES,
    subscribe: (_root, _args, ctx) => followTexts(ctx),
    resolve: (attempt: Attempt, _args, ctx) => textOf(ctx, attempt),
  }),
);

builder.mutationFields(t => ({
  sandboxReceipt: t.field({
    type: SandboxMessageRef,
    description: `Lets a phone of the sandbox report of a text that it has, as providers do. A status only rises: what is \`DELIVERED\` cannot fail any more, so say before the send what is to be reported (\`sandboxNextReceipt\`). ${forPhones}`,
    policy: PHONES,
    ...byArgs(sandboxReceiptInput, reportText),
  }),
  clearSandbox: t.field({
    type: 'NonNegativeInt',
    description: `Deletes every text of the phones of the sandbox; answers how many. The log of their sends stays. ${forPhones}`,
    policy: PHONES,
    resolve: (_root, _args, ctx) => clearPhones(ctx),
  }),
  sandboxReply: t.field({
    type: InboundMessageRef,
    description: `Lets a phone of the sandbox write to a sender of the account: it comes in as what people write does. ${forPhones}`,
    policy: PHONES,
    ...byInput(sandboxReplyInput, 'What it writes.', replyFromPhone),
  }),
  sandboxNextReceipt: t.field({
    type: 'String',
    description: `Decides what a phone of the sandbox reports of the next text that it gets, once, within 24 hours; answers the phone in digits. What was decided before and not used ends. ${forPhones}`,
    policy: PHONES,
    ...byArgs(sandboxNextReceiptInput, orderNextReceipt),
  }),
}));

builder.queryFields(t => ({
  sandboxMessages: t.field({
    type: [SandboxMessageRef],
    description: `What the phones of the sandbox received, newest first; ${forPhones}`,
    policy: PHONES,
    args: {
      to: t.arg.string({ required: true, description: 'The phone, a number with country code.' }),
      first: t.arg.int({ description: 'How many, 1 to 1,000; 50 where absent.' }),
    },
    resolve: (_root, { to, first }, ctx) => listSandboxMessages(ctx, { to, first: first ?? null }),
  }),
  sandboxPhones: t.field({
    type: [SandboxPhoneRef],
    description: `The phones of the sandbox that have texts, those with the newest first; ${forPhones}`,
    policy: PHONES,
    resolve: (_root, _args, ctx) => listPhones(ctx),
  }),
  sandboxWaitForText: t.field({
    type: SandboxMessageRef,
    nullable: true,
    description: `The next text to a phone of the sandbox, for tests: it answers as soon as it has come, at once if that was within the last 10 s. Null: none came in time. ${forPhones}`,
    policy: { ...PHONES, deadlineFor: 'nobody' },
    ...byArgs(waitForArrivalInput, waitForText),
  }),
  sandboxWaitForCode: t.field({
    type: SandboxCodeRef,
    nullable: true,
    description: `The code of the newest passcode on a phone of the sandbox that can still be verified, for tests: it answers as soon as there is one. Null: none came in time. ${forPhones}`,
    policy: { ...PHONES, deadlineFor: 'nobody' },
    ...byArgs(waitForArrivalInput, waitForCode),
  }),
}));
