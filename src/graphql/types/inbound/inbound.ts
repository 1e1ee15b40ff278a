/** Inbound messages in GraphQL: those of people to the senders of an account. */
import { inboundData } from '../../../modules/answers/inbound.data.ts';
import { listInboundInput } from '../../../modules/inbound/inbound-filter.input.ts';
import { InboundMessage } from '../../../modules/inbound/inbound-message.entity.ts';
import { followInbound, listInbound } from '../../../modules/inbound/list-inbound.ts';
import { builder } from '../../builder.ts';
import { connectionOf, toConnection } from '../../connection.ts';
import { argsFrom, fieldsFrom } from '../../from-zod.ts';

/** `InboundMessage` */
export const InboundMessageRef = builder.objectType(InboundMessage, {
  name: 'InboundMessage',
  description: 'A message that a person sent to one of your senders.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `messageId`, for client caches.'),
    ...fieldsFrom(
      t,
      inboundData,
      {
        messageId: ({ id }) => id,
        from: ({ fromNumber }) => fromNumber,
        to: ({ toAddress }) => toAddress,
      },
      'id accountId connectionId fromNumber toAddress sentAt',
    ),
  }),
});

const InboundConnection = connectionOf(InboundMessageRef, 'InboundMessage', 'messages that came in', 'A message');

/** An inbound message belongs to the account, and to none of its areas. */
const READING = { opens: ['unified', 'management'], plan: 'tokens' } as const;

builder.queryField('inboundMessages', t =>
  t.field({
    type: InboundConnection,
    description: 'What people sent to the senders of the account, newest first. Tokens: unified, management.',
    policy: READING,
    ...argsFrom(listInboundInput),
    resolve: async (_root, args, ctx) => toConnection(await listInbound(ctx, args)),
  }),
);

builder.subscriptionField('inboundMessageAdded', t =>
  t.field({
    type: InboundMessageRef,
    description:
      'Each message of a person as soon as it is stored, whichever process stored it. Tokens: unified, management.',
    policy: READING,
    ...argsFrom(listInboundInput.pick({ filter: true })),
    subscribe: (_root, { filter }, ctx) => followInbound(ctx, filter ?? {}),
    resolve: (message: InboundMessage) => message,
  }),
);
