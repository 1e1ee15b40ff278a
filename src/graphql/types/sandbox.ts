/** The sandbox's phones in GraphQL. */
import { ORDINARY } from '../../kernel/field-policy.ts';
import { listSandboxMessages } from '../../modules/sandbox/list-sandbox-messages.ts';
import { SandboxMessage } from '../../modules/sandbox/sandbox-message.entity.ts';
import { builder } from '../builder.ts';
import { ChannelEnum } from '../enums.ts';

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

builder.queryField('sandboxMessages', t =>
  t.field({
    type: [SandboxMessageRef],
    description:
      'What the phones of the sandbox received, newest first; `NOT_FOUND` where the sandbox is off. Tokens: unified, management.',
    // It shows the texts of passcodes that the sandbox has taken.
    policy: { ...ORDINARY, opens: ['unified', 'management'], isForServers: true },
    args: {
      to: t.arg.string({ required: true, description: 'The phone, a number with country code.' }),
      first: t.arg.int({ description: 'How many, 1 to 1,000; 50 where absent.' }),
    },
    resolve: (_root, { to, first }, ctx) => listSandboxMessages(ctx, { to, first: first ?? null }),
  }),
);
