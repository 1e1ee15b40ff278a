/** People in GraphQL: who wrote, what was said, and what is noted about them. */
import {
  type ChatWindow,
  type ConversationEntry,
  openWindows,
  readConversation,
} from '../../../modules/conversations/conversation.ts';
import { countUnreadPeople, findPerson, listPeople, markRead } from '../../../modules/conversations/find-people.ts';
import { addNote, removeNote } from '../../../modules/conversations/manage-notes.ts';
import {
  addNoteInput,
  listPeopleInput,
  markReadInput,
  readConversationInput,
} from '../../../modules/conversations/people.input.ts';
import { PersonNote } from '../../../modules/conversations/person-note.entity.ts';
import type { KnownPerson, PersonView, ShownAddress } from '../../../modules/conversations/person-view.ts';
import { InboundMessage } from '../../../modules/inbound/inbound-message.entity.ts';
import { Message } from '../../../modules/messaging/message.entity.ts';
import { ADDRESS_KINDS } from '../../../modules/people/person-address.entity.ts';
import { builder } from '../../builder.ts';
import { connectionOf, toConnection, toEdges } from '../../connection.ts';
import { ChannelEnum } from '../../enums.ts';
import { argsFrom, byInput, defineEnum } from '../../from-zod.ts';
import { MessageRef } from '../messaging.ts';
import { OtpRef } from '../otp/otp.ts';
import { InboundMessageRef } from './inbound.ts';
import { SuppressionRef } from './suppressions.ts';

const AddressKindEnum = defineEnum('PersonAddressKind', ADDRESS_KINDS, 'The kind of what a person is known by.', {
  number: 'A phone number.',
  user_id: 'The id that a channel has for the person, such as a business-scoped user id.',
});

const PersonAddressRef = builder.objectRef<ShownAddress>('PersonAddress').implement({
  description: 'What a person is known by.',
  fields: t => ({
    value: t.member('value', 'String', 'The number in digits-only form, or the id.'),
    kind: t.member('kind', AddressKindEnum, 'Which of them it is.'),
    channel: t.nullable('channel', ChannelEnum, 'The channel that it was learned by; null: the account named it.'),
    learnedFrom: t.nullable(
      'learnedFrom',
      'String',
      'The `messageId` that it was learned from; null: the account named it.',
    ),
    learnedAt: t.member('learnedAt', 'DateTime', 'When it was learned.'),
  }),
});

const ChatWindowRef = builder.objectRef<ChatWindow>('ChatWindow').implement({
  description: 'A chat that is open: free text may go to the person, and no template is needed.',
  fields: t => ({
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    sender: t.member('sender', 'String', 'Your sender that the person wrote to.'),
    closesAt: t.member('closesAt', 'DateTime', 'When it closes, unless the person writes again.'),
  }),
});

const PersonNoteRef = builder.objectType(PersonNote, {
  name: 'PersonNote',
  description: 'A note about a person, for those who answer them. The person never sees it.',
  fields: t => ({
    id: t.member('id', 'ID', 'Names the note.'),
    text: t.member('text', 'String', 'The note; empty after `TEXT_RETENTION_DAYS`.'),
    by: t.nullable('author', 'String', 'The e-mail address of its author; null: a token or the operator wrote it.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was written.'),
  }),
});

const ConversationEntryRef = builder.unionType('ConversationEntry', {
  description: 'What stands in a conversation: a message of yours or of the person, a passcode, or a note.',
  types: [MessageRef, InboundMessageRef, OtpRef, PersonNoteRef],
  resolveType(entry: ConversationEntry) {
    if (entry instanceof InboundMessage) return InboundMessageRef;
    if (entry instanceof Message) return MessageRef;
    return entry instanceof PersonNote ? PersonNoteRef : OtpRef;
  },
});

const ConversationConnection = connectionOf(ConversationEntryRef, 'Conversation', 'a conversation', 'An entry');

const PersonRef = builder.objectRef<PersonView>('Person').implement({
  description: 'A person who wrote to the account, or whom it may write to.',
  fields: t => ({
    id: t.nullable('id', 'ID', 'Names the person, `prs_…`; null: nothing is kept of a person who never wrote.'),
    to: t.member('to', 'String', 'Where a text goes: the number in digits-only form, else the id of a channel.'),
    name: t.nullable('name', 'String', 'The name that the person shows; null: no channel told one.'),
    addresses: t.field({
      type: [PersonAddressRef],
      description: 'What the person is known by, numbers first.',
      // One query answers those of all people.
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ addresses }) => [...addresses],
    }),
    lastMessage: t.nullable('lastMessage', InboundMessageRef, 'The newest message of the person; null: none is kept.'),
    unread: t.member('unread', 'NonNegativeInt', 'How many messages nobody of the account has read, 100 at most.'),
    suppression: t.nullable('suppression', SuppressionRef, 'Why the person gets no messages; null: they go.'),
    windows: t.field({
      type: [ChatWindowRef],
      description: 'The cloud chats that are open, as the person wrote there within 24 hours.',
      // Each person is a query.
      complexity: { field: 5, multiplier: 1 },
      resolve: (person, _args, ctx) => openWindows(ctx, person),
    }),
  }),
});

const PersonConnection = connectionOf(PersonRef, 'Person', 'people', 'A person');

/** A conversation is texts: who may not read these sees none of it. */
const READING = { opens: ['unified', 'management'], plan: 'tokens', right: 'texts' } as const;
const CHANGING = { ...READING, right: 'reply' } as const;

builder.queryFields(t => ({
  people: t.field({
    type: PersonConnection,
    description:
      'The people who wrote to the account or were noted about, those with the newest messages first. Tokens: unified, management.',
    policy: READING,
    ...argsFrom(listPeopleInput),
    resolve: async (_root, args, ctx) => toConnection<KnownPerson>(await listPeople(ctx, args), ({ newest }) => newest),
  }),
  person: t.field({
    type: PersonRef,
    description:
      'A person by number, by the id of a channel, or by `prs_…`; a number of nobody is a person who never wrote. Tokens: unified, management.',
    policy: READING,
    args: { to: t.arg.string({ required: true, description: 'The number or id.' }) },
    resolve: (_root, { to }, ctx) => findPerson(ctx, to),
  }),
  conversation: t.field({
    type: ConversationConnection,
    description:
      'What was said with a person over all channels, and noted about them; the newest first. Tokens: unified, management.',
    policy: READING,
    ...argsFrom(readConversationInput),
    resolve: async (_root, args, ctx) => {
      const { edges, pageInfo } = toEdges(await readConversation(ctx, args), ({ position }) => position);
      return { pageInfo, edges: edges.map(({ cursor, node }) => ({ cursor, node: node.entry })) };
    },
  }),
  unreadPeople: t.field({
    type: 'NonNegativeInt',
    description:
      'How many people wrote something that nobody of the account has read, 1,000 at most. Tokens: unified, management.',
    policy: READING,
    resolve: (_root, _args, ctx) => countUnreadPeople(ctx),
  }),
}));

builder.mutationFields(t => ({
  markRead: t.field({
    type: PersonRef,
    description:
      'Takes the messages of a person as read up to one, for the whole account. Tokens: unified, management.',
    policy: CHANGING,
    ...byInput(markReadInput, 'What was read.', markRead),
  }),
  addNote: t.field({
    type: PersonNoteRef,
    description: 'Adds a note about a person. Tokens: unified, management.',
    policy: CHANGING,
    ...byInput(addNoteInput, 'The note.', addNote),
  }),
  removeNote: t.field({
    type: PersonNoteRef,
    description: 'Removes a note, and answers what it was. Tokens: unified, management.',
    policy: CHANGING,
    args: { id: t.arg.string({ required: true, description: 'Id of the note, `not_…`.' }) },
    resolve: (_root, { id }, ctx) => removeNote(ctx, id),
  }),
}));
