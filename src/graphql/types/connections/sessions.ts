/** Numbers that are linked (QR-linked chats) in GraphQL: `ProviderConnection.session`, and the verbs that link and unlink. */
import encodeQR from 'qr';
import { LINK_METHODS } from '../../../channels/chat-qr/driver/protocol.ts';
import type { LinkStep } from '../../../channels/session.ts';
import { ChatSession, SESSION_STATES } from '../../../modules/chat-sessions/chat-session.entity.ts';
import { isLocked, isOpen } from '../../../modules/chat-sessions/link-state.policy.ts';
import {
  acceptChatRisks,
  acceptRisksInput,
  linkConnection,
  linkInput,
  RISKS,
  unlinkConnection,
} from '../../../modules/chat-sessions/linking/link-connection.ts';
import { type NewChats, newChatsOf, type Pace, paceOf } from '../../../modules/chat-sessions/pace/read-pace.ts';
import { Connection } from '../../../modules/connections/connection.entity.ts';
import { builder } from '../../builder.ts';
import { argsFrom, byInput, defineEnum } from '../../from-zod.ts';
import './connections.ts';

const SessionStateEnum = defineEnum('ChatSessionState', SESSION_STATES, 'How the number of a connection is linked.', {
  unlinked: 'It was not linked yet, or was unlinked.',
  linked: 'It is linked.',
  relink: 'The phone does not know it any more: link it again.',
  banned: 'The chat has banned the number.',
  replaced: 'Another program opened it with the same keys: end that one, and link it again.',
  outdated: 'The chat does not take this version of its protocol any more.',
});

defineEnum('LinkMethod', LINK_METHODS, 'How a phone is told of a link.', {
  QR: 'By a picture that it scans.',
  PAIRING_CODE: 'By a code that is typed into it.',
});

const LinkStateEnum = defineEnum('LinkState', ['code', 'linked', 'failed'], 'How far a link is.', {
  code: 'The phone is to take this code, as long as it is good.',
  linked: 'The number is linked, and sends.',
  failed: 'It was not linked.',
});

const ChatPaceRef = builder.objectRef<Pace>('ChatPace').implement({
  description: 'How much a linked number has sent, and what it may send.',
  fields: t => ({
    sentLastMinute: t.member('sentLastMinute', 'NonNegativeInt', 'Texts within the last minute.'),
    perMinute: t.member('perMinute', 'PositiveInt', 'Texts that it may send a minute.'),
    newPeople: t.member('newPeople', 'NonNegativeInt', 'People whom it wrote to first within the last 24 hours.'),
    newPeopleAllowed: t.member('newPeopleAllowed', 'NonNegativeInt', 'How many those may be at its age.'),
  }),
});

const NewChatsRef = builder.objectRef<NewChats>('NewChats').implement({
  description: 'The new chats that the chat lets a linked number begin.',
  fields: t => ({
    allowed: t.member('allowed', 'NonNegativeInt', "How many there may be in the chat's period."),
    used: t.member('used', 'NonNegativeInt', 'How many of those it has begun.'),
    until: t.nullable('until', 'DateTime', 'When the period ends; null: not told.'),
  }),
});

const ChatSessionRef = builder.objectType(ChatSession, {
  name: 'ChatSession',
  description: 'The session of a linked number.',
  fields: t => ({
    state: t.member('state', SessionStateEnum, 'How it is linked.'),
    since: t.member('stateSince', 'DateTime', 'Since when it is so.'),
    isOpen: t.boolean({
      description: 'Whether it takes texts now.',
      resolve: (session, _args, { clock }) => isOpen(session, clock.now()),
    }),
    error: t.nullable(
      'error',
      'String',
      'Why it takes none; null: it does, was never linked, or its process is not heard of.',
    ),
    linkedAt: t.nullable('linkedAt', 'DateTime', 'When it was linked: it may do more by its age.'),
    lastAckAt: t.nullable('lastAckAt', 'DateTime', 'When the chat last acknowledged a text.'),
    lockedSince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when the chat lets it write to nobody new; null: it may.',
      resolve: (session, _args, { clock }) => (isLocked(session, clock.now()) ? session.lockedSince : null),
    }),
    lockedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When that ends; null: it is not locked, or no time is told.',
      resolve: (session, _args, { clock }) => (isLocked(session, clock.now()) ? session.lockedUntil : null),
    }),
    newChats: t.field({
      type: NewChatsRef,
      nullable: true,
      description: 'The new chats that it may begin; null: the chat told of no bound, or its time is over.',
      resolve: ({ connectionId }, _args, ctx) => newChatsOf(ctx, connectionId),
    }),
    risksAcceptedBy: t.nullable('risksAcceptedBy', 'String', 'Who accepted its risks; null: nobody has.'),
    risksAcceptedAt: t.nullable('risksAcceptedAt', 'DateTime', 'When they were accepted.'),
    pace: t.field({
      type: ChatPaceRef,
      nullable: true,
      description: 'How much of its pace is used; null: its config cannot be used.',
      resolve: ({ connectionId }, _args, ctx) => paceOf(ctx, connectionId),
    }),
  }),
});

builder.objectField(Connection, 'session', t =>
  t.field({
    type: ChatSessionRef,
    nullable: true,
    description: 'The session of its number; null: it has none to link, or nobody accepted its risks yet.',
    resolve: ({ id }, _args, ctx) => ctx.em.findOne(ChatSession, { connectionId: id }),
  }),
);

const LinkStepRef = builder.objectRef<LinkStep>('LinkStep').implement({
  description: 'One step of a link.',
  fields: t => ({
    state: t.member('state', LinkStateEnum, 'How far it is.'),
    code: t.nullable(
      'code',
      'String',
      'The code: what the picture says, or what is typed. A secret. Null: there is none now.',
    ),
    picture: t.string({
      nullable: true,
      description: 'The code as a picture (SVG), for a phone to scan. Null: there is none, or it is typed.',
      resolve: ({ code, method }) => (code === null || method === 'PAIRING_CODE' ? null : encodeQR(code, 'svg')),
    }),
    expiresAt: t.nullable(
      'expiresAt',
      'DateTime',
      'How long the code is good; another one follows by itself. Null: there is none.',
    ),
    secondsLeft: t.field({
      type: 'NonNegativeInt',
      nullable: true,
      description: 'The same in seconds from now. Null: there is none.',
      resolve: ({ expiresAt }, _args, { clock }) =>
        expiresAt && Math.max(0, Math.round((expiresAt.getTime() - clock.now().getTime()) / 1_000)),
    }),
    error: t.nullable('error', 'String', 'Why it failed; null: it has not.'),
  }),
});

builder.subscriptionField('linkConnection', t =>
  t.field({
    type: LinkStepRef,
    description:
      'Links the number of a connection: codes for the phone, then `LINKED` or `FAILED`, which is the last. Whoever ends it before gives the link up. The operator only.',
    policy: { opens: 'operator' },
    ...argsFrom(linkInput),
    subscribe: (_root, args, ctx) => linkConnection(ctx, args),
    resolve: (step: LinkStep) => step,
  }),
);

builder.mutationFields(t => ({
  acceptChatRisks: t.field({
    type: Connection,
    description: `Accepts the risks of a linked number, once, by name. ${RISKS} The operator only.`,
    policy: { opens: 'operator' },
    ...byInput(acceptRisksInput, 'Who accepts them.', acceptChatRisks),
  }),
  unlinkConnection: t.field({
    type: Connection,
    description:
      'Ends the session of a linked number: its phone is told, and its keys are forgotten. The operator only.',
    policy: { opens: 'operator' },
    args: { connectionId: t.arg.string({ required: true, description: 'The connection.' }) },
    resolve: (_root, { connectionId }, ctx) => unlinkConnection(ctx, connectionId),
  }),
}));
