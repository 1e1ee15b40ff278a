/** The people of an account in GraphQL: who they are, inviting them, and their passwords. */
import { ROLE_MEANINGS } from '../../../kernel/role.ts';
import { Invitation } from '../../../modules/accounts/people/invitation.entity.ts';
import {
  acceptInvitation,
  type InvitationOffer,
  inviteUser,
  listInvitations,
  type NewInvitation,
  readInvitationOffer,
  revokeInvitation,
} from '../../../modules/accounts/people/invitations.ts';
import { changePassword, listUsers, removeUser, updateUser } from '../../../modules/accounts/people/manage-users.ts';
import {
  acceptInvitationInput,
  changePasswordInput,
  inviteUserInput,
  updateUserInput,
} from '../../../modules/accounts/people/people.input.ts';
import { viewerOf } from '../../../modules/accounts/people/viewer.ts';
import { builder } from '../../builder.ts';
import { byInput, inputArg } from '../../from-zod.ts';
import { forOwners, forSignedIn, forStrangers, ofOwners, RoleEnum, UserRef, ViewerRef } from './sign-in.ts';

const InvitationRef = builder.objectType(Invitation, {
  name: 'Invitation',
  description: 'An invitation to an account, for 7 days. Its link is shown when it is made, and nowhere else.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `invitationId`, for client caches.'),
    invitationId: t.member('id', 'String', 'Id of the invitation, `inv_…`.'),
    accountId: t.member('accountId', 'String', 'The account.'),
    email: t.member('email', 'String', 'Who is invited.'),
    role: t.member('role', RoleEnum, 'What the person may do then.'),
    invitedBy: t.nullable('invitedBy', 'String', 'The address of who invited; null: the operator.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it was made.'),
    expiresAt: t.member('expiresAt', 'DateTime', 'When it ends.'),
    acceptedAt: t.nullable('acceptedAt', 'DateTime', 'When it was accepted; null: it was not.'),
  }),
});

const NewInvitationRef = builder.objectRef<NewInvitation>('NewInvitation').implement({
  description: 'An invitation that was just made, with the only sight of its link.',
  fields: t => ({
    invitation: t.member('invitation', InvitationRef, 'The invitation as lists show it.'),
    link: t.member(
      'link',
      'String',
      'Where the person accepts it, shown this once. Who has it may sign in: send it to nobody else. It begins with `PUBLIC_URL`, or, where that is not set, with the address that the gateway listens on.',
    ),
  }),
});

const InvitationOfferRef = builder.objectRef<InvitationOffer>('InvitationOffer').implement({
  description: 'What a link invites to.',
  fields: t => ({
    accountName: t.member('accountName', 'String', 'The account, as people call it.'),
    email: t.member('email', 'String', 'Who is invited.'),
    role: t.member('role', RoleEnum, 'What the person may do then.'),
    meaning: t.string({
      description: 'What the role may do, in a sentence.',
      resolve: ({ role }) => ROLE_MEANINGS[role],
    }),
    invitedBy: t.nullable('invitedBy', 'String', 'The address of who invited; null: the operator.'),
    expiresAt: t.member('expiresAt', 'DateTime', 'When it ends.'),
  }),
});

const accountIdArg = {
  description: 'The account, for an operator; absent: the one that the caller acts for, else all.',
};

builder.queryFields(t => ({
  users: t.field({
    type: [UserRef],
    description: 'The people who may sign in, oldest first. People of every role, of their own account; the operator.',
    policy: forSignedIn,
    args: { accountId: t.arg.string(accountIdArg) },
    resolve: (_root, { accountId }, ctx) => listUsers(ctx, accountId ?? null),
  }),
  invitations: t.field({
    type: [InvitationRef],
    description: `Invitations, newest first, those that were accepted or are over too, for a month. ${ofOwners}`,
    policy: forOwners,
    args: { accountId: t.arg.string(accountIdArg) },
    resolve: (_root, { accountId }, ctx) => listInvitations(ctx, accountId ?? null),
  }),
  invitationOffer: t.field({
    type: InvitationOfferRef,
    nullable: true,
    description: 'What the link of an invitation offers; null: it is over, was used or taken back. For everyone.',
    policy: forStrangers,
    args: { token: t.arg.string({ required: true, description: 'What stands behind `#` in the link.' }) },
    resolve: (_root, { token }, ctx) => readInvitationOffer(ctx, token),
  }),
}));

builder.mutationFields(t => ({
  inviteUser: t.field({
    type: NewInvitationRef,
    description: `Invites a person to an account by a link; an earlier one to the same address is over. ${ofOwners}`,
    policy: forOwners,
    ...byInput(inviteUserInput, 'The person.', inviteUser),
  }),
  revokeInvitation: t.field({
    type: InvitationRef,
    description: `Takes an invitation back that was not accepted. ${ofOwners}`,
    policy: forOwners,
    args: { invitationId: t.arg.string({ required: true, description: 'Id of the invitation, `inv_…`.' }) },
    resolve: (_root, { invitationId }, ctx) => revokeInvitation(ctx, invitationId),
  }),
  acceptInvitation: t.field({
    type: ViewerRef,
    description:
      'Accepts an invitation: the person may sign in from now on, and is signed in. `NOT_FOUND` where it is over, was used or taken back. For everyone.',
    policy: forStrangers,
    args: inputArg(acceptInvitationInput, 'The person.'),
    resolve: async (_root, { input }, ctx) => viewerOf(ctx, await acceptInvitation(ctx, input)),
  }),
  updateUser: t.field({
    type: UserRef,
    description: `Changes name and role of a person, everywhere within a second; the last owner stays one. Open invitations by who is an owner no more are over. ${ofOwners}`,
    policy: forOwners,
    ...byInput(updateUserInput, 'What changes.', updateUser),
  }),
  removeUser: t.field({
    type: UserRef,
    description: `Removes a person, whose sessions and open invitations to others end; the last owner stays. ${ofOwners}`,
    policy: forOwners,
    args: { userId: t.arg.string({ required: true, description: 'Id of the person, `usr_…`.' }) },
    resolve: (_root, { userId }, ctx) => removeUser(ctx, userId),
  }),
  changePassword: t.field({
    type: UserRef,
    description:
      "Changes the caller's own password, and ends the caller's other sessions. `RATE_LIMITED` for 15 minutes after 5 wrong ones, which count apart from sign-ins. People of every role.",
    policy: { ...forSignedIn, isAlone: true },
    ...byInput(changePasswordInput, 'The passwords.', changePassword),
  }),
}));
