/** The sandbox's phones in GraphQL. */
import { ORDINARY } from '../../kernel/field-policy.ts';
import { listSandboxMessages } from '../../modules/sandbox/list-sandbox-messages.ts';
import { SandboxMessage } from '../../modules/sandbox/sandbox-message.entity.ts';
import { waitForArrivalInput } from '../../modules/sandbox/wait-for-arrival.input.ts';
import { type SandboxCode, waitForCode, waitForText } from '../../modules/sandbox/wait-for-arrival.ts';
import { builder } from '../builder.ts';
import { ChannelEnum } from '../enums.ts';
import { argsFrom } from '../from-zod.ts';

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
  }),
});

const SandboxCodeRef = builder.objectRef<SandboxCode>('SandboxCode').implement({
  description: 'The code of a passcode as it arrived on a phone of the sandbox.',
  fields: t => ({
    code: t.member('code', 'String', 'The code, digits.'),
    pinId: t.member('pinId', 'String', 'The passcode.'),
    message: t.member('message', SandboxMessageRef, 'The text that it stands in.'),
  }),
});

/** They show the texts of passcodes that the sandbox has taken, by the number: who sees numbers masked sees none of it. */
const PHONES = {
  ...ORDINARY,
  opens: ['unified', 'management'],
  people: ['owner', 'developer'],
  isForServers: true,
} as const;

const forPhones = '`NOT_FOUND` where the sandbox is off. Tokens: unified, management.';

builder.queryField('sandboxMessages', t =>
  t.field({
    type: [SandboxMessageRef],
    description: `What the phones of the sandbox received, newest first; ${forPhones}`,
    policy: PHONES,
    args: {
      to: t.arg.string({ required: true, description: 'The phone, a number with country code.' }),
      first: t.arg.int({ description: 'How many, 1 to 1,000; 50 where absent.' }),
    },
    resolve: (_root, { to, first }, ctx) => listSandboxMessages(ctx, { to, first: first ?? null }),
  }),
);

builder.queryField('sandboxWaitForText', t =>
  t.field({
    type: SandboxMessageRef,
    nullable: true,
    description: `The next text to a phone of the sandbox, for tests: it answers as soon as it has come, at once if that was within the last 5 s. Null: none came in time. ${forPhones}`,
    policy: { ...PHONES, deadlineFor: 'nobody' },
    args: argsFrom(waitForArrivalInput),
    resolve: (_root, input, ctx) => waitForText(ctx, input),
  }),
);

builder.queryField('sandboxWaitForCode', t =>
  t.field({
    type: SandboxCodeRef,
    nullable: true,
    description: `The code of the newest passcode on a phone of the sandbox that can still be verified, for tests: it answers as soon as there is one. Null: none came in time. ${forPhones}`,
    policy: { ...PHONES, deadlineFor: 'nobody' },
    args: argsFrom(waitForArrivalInput),
    resolve: (_root, input, ctx) => waitForCode(ctx, input),
  }),
);
