/** People who sign in, in GraphQL: signing in and out, and who is signed in. */
import { RIGHT_NAMES, RIGHTS, type Right, ROLE_MEANINGS, ROLE_RIGHTS, ROLES, type Role } from '../../../kernel/role.ts';
import { Account } from '../../../modules/accounts/account.entity.ts';
import { DashboardUser } from '../../../modules/accounts/people/dashboard-user.entity.ts';
import { signInAsOperatorInput, signInInput } from '../../../modules/accounts/people/people.input.ts';
import {
  SECOND_STEP,
  type SecondFactor,
  VIEWER_KINDS,
  type Viewer,
  viewerOf,
} from '../../../modules/accounts/people/viewer.ts';
import {
  listSessions,
  revokeSession,
  signOut,
  signOutEverywhere,
} from '../../../modules/accounts/sign-in/end-sessions.ts';
import { Session } from '../../../modules/accounts/sign-in/session.entity.ts';
import { signIn, signInAsOperator } from '../../../modules/accounts/sign-in/sign-in.ts';
import { builder } from '../../builder.ts';
import { AreaEnum } from '../../enums.ts';
import { defineEnum, inputArg } from '../../from-zod.ts';

/** `Role` */
export const RoleEnum = defineEnum('Role', ROLES, 'What a person who signs in may do with the account.', ROLE_MEANINGS);

const sentenceOf = (right: Right): string => `The person may ${RIGHTS[right]}.`;

const RightEnum = defineEnum(
  'Right',
  RIGHT_NAMES,
  'Something that a role lets a person see or do.',
  Object.fromEntries(RIGHT_NAMES.map(right => [right, sentenceOf(right)])) as Record<Right, string>,
);

const RoleFactsRef = builder.objectRef<Role>('RoleFacts').implement({
  description: 'A role, and what it lets a person see and do.',
  fields: t => ({
    role: t.field({ type: RoleEnum, description: 'The role.', resolve: role => role }),
    meaning: t.string({ description: 'The role in a sentence.', resolve: role => ROLE_MEANINGS[role] }),
    rights: t.field({ type: [RightEnum], description: 'Its rights.', resolve: role => [...ROLE_RIGHTS[role]] }),
  }),
});

const RightFactsRef = builder.objectRef<Right>('RightFacts').implement({
  description: 'A right in words.',
  fields: t => ({
    right: t.field({ type: RightEnum, description: 'The right.', resolve: right => right }),
    meaning: t.string({ description: 'What it lets a person see or do.', resolve: right => RIGHTS[right] }),
  }),
});

const ViewerKindEnum = defineEnum('ViewerKind', VIEWER_KINDS, 'What a caller is known by.', {
  user: 'A person who is signed in.',
  operator: 'The operator, by the token or signed in with it.',
  token: 'A token of an account.',
  second_step:
    'A person with a second factor whose password was right: nothing is open before `signInWithCode`. Answered by `signIn` alone.',
});

/** `User` */
export const UserRef = builder.objectType(DashboardUser, {
  name: 'User',
  description: 'A person who may sign in to the dashboard of one account.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `userId`, for client caches.'),
    userId: t.member('id', 'String', 'Id of the person, `usr_…`.'),
    accountId: t.member('accountId', 'String', 'The account.'),
    email: t.member('email', 'String', 'The e-mail address, by which the person signs in.'),
    name: t.nullable('name', 'String', 'How the person is called; null: not told.'),
    role: t.member('role', RoleEnum, 'What the person may do.'),
    passwordChangedAt: t.nullable('passwordChangedAt', 'DateTime', 'When the password was last changed; null: never.'),
    hasPassword: t.boolean({
      description: 'Whether the person signs in by password; else by the OIDC provider, which says the role.',
      resolve: ({ passwordHash }) => Boolean(passwordHash),
    }),
    secondFactorSince: t.nullable(
      'secondFactorSince',
      'DateTime',
      'Since when a code is asked for after the password; null: it is not.',
    ),
    createdAt: t.member('createdAt', 'DateTime', 'Since when the person may sign in.'),
  }),
});

const SessionRef = builder.objectType(Session, {
  name: 'Session',
  description: 'A browser in which somebody is signed in. It ends after 30 days, and after 24 hours without use.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `sessionId`, for client caches.'),
    sessionId: t.member('id', 'String', 'Id of the session, `ses_…`.'),
    clientAddress: t.member('clientAddress', 'String', 'The address that the sign-in came from.'),
    userAgent: t.nullable('userAgent', 'String', 'The browser, as it calls itself, shortened; null: it did not.'),
    createdAt: t.member('createdAt', 'DateTime', 'When it began.'),
    lastSeenAt: t.member('lastSeenAt', 'DateTime', 'When it was last used, to the minute.'),
    expiresAt: t.member('expiresAt', 'DateTime', 'When it ends at the latest.'),
  }),
});

const SecondFactorRef = builder.objectRef<SecondFactor>('SecondFactor').implement({
  description: 'What a person signs in by beside the password: the code of an app.',
  fields: t => ({
    since: t.nullable('since', 'DateTime', 'Since when it is on; null: it is off.'),
    isRequired: t.member(
      'isRequired',
      'Boolean',
      'Whether the account requires it. While it is off then, nothing is open but what turns it on.',
    ),
    recoveryCodesLeft: t.member('recoveryCodesLeft', 'NonNegativeInt', 'How many recovery codes are left.'),
  }),
});

/** `Viewer` */
export const ViewerRef = builder.objectRef<Viewer>('Viewer').implement({
  description: 'Who asks.',
  fields: t => ({
    kind: t.member('kind', ViewerKindEnum, 'What the caller is known by.'),
    user: t.nullable('user', UserRef, 'The person; null: it is none.'),
    role: t.nullable('role', RoleEnum, 'What the person may do; null: it is none.'),
    rights: t.field({
      type: [RightEnum],
      description:
        'What the pages offer the caller: the rights of the role. The operator has all, a token those of a developer, as far as its area goes.',
      resolve: ({ kind, role }) => {
        if (kind === 'operator') return [...RIGHT_NAMES];
        return kind === 'second_step' ? [] : [...ROLE_RIGHTS[role ?? 'developer']];
      },
    }),
    area: t.nullable('area', AreaEnum, 'What the token opens; null: it is none.'),
    account: t.nullable('account', Account, 'The account that the caller acts for; null: an operator who named none.'),
    secondFactor: t.nullable('secondFactor', SecondFactorRef, 'The second factor of the person; null: it is none.'),
    session: t.nullable('session', SessionRef, 'The session; null: the caller is not signed in, but has a token.'),
  }),
});

/** Fields of passwords: everyone may try, one at a time. */
export const forStrangers = { opens: 'public', isAlone: true } as const;

/** Fields for people who are signed in, whatever the role. No token opens them. */
export const forSignedIn = { opens: 'operator', right: 'look' } as const;

/** Fields for people who manage the people of an account. */
export const forOwners = { opens: 'operator', right: 'people' } as const;

/** The callers of `forOwners` in words. */
export const ofOwners = 'Owners, of their own account; the operator.';

const refused =
  '`UNAUTHENTICATED` where it is wrong. After 5 failures of a network address for one person, or 20 of strangers for a person or from an address, `RATE_LIMITED` for 15 minutes; a browser that was signed in before is counted apart. `RATE_LIMITED` for seconds where too many sign in at once.';

builder.queryFields(t => ({
  viewer: t.field({
    type: ViewerRef,
    nullable: true,
    description: 'Who asks; null: nobody who is known. For everyone.',
    policy: { opens: 'public' },
    resolve: (_root, _args, ctx) => (ctx.actor.kind === 'anonymous' ? null : viewerOf(ctx, ctx.actor)),
  }),
  roles: t.field({
    type: [RoleFactsRef],
    description: 'Every role, the one that may most first. People of every role; the operator.',
    policy: forSignedIn,
    resolve: () => [...ROLES],
  }),
  rights: t.field({
    type: [RightFactsRef],
    description: 'Every right that a role can have, in words. People of every role; the operator.',
    policy: forSignedIn,
    resolve: () => [...RIGHT_NAMES],
  }),
  sessions: t.field({
    type: [SessionRef],
    description: "The caller's own sessions, newest first. People of every role; the operator: those of the operator.",
    policy: forSignedIn,
    resolve: (_root, _args, ctx) => listSessions(ctx),
  }),
}));

builder.mutationFields(t => ({
  signIn: t.field({
    type: ViewerRef,
    description: `Signs a person in by password: the answer sets the cookie of a session. Where the kind is \`SECOND_STEP\`, it does not: \`signInWithCode\` is to follow within 5 minutes, by the same browser. ${refused} For everyone.`,
    policy: forStrangers,
    args: inputArg(signInInput, 'Who signs in.'),
    resolve: async (_root, { input }, ctx) => {
      const actor = await signIn(ctx, input);
      return actor ? viewerOf(ctx, actor) : SECOND_STEP;
    },
  }),
  signInAsOperator: t.field({
    type: ViewerRef,
    description: `Signs the operator in by the token: the answer sets the cookie of a session, which ends when the token changes. ${refused} For everyone.`,
    policy: forStrangers,
    args: inputArg(signInAsOperatorInput, 'The token.'),
    resolve: async (_root, { input }, ctx) => viewerOf(ctx, await signInAsOperator(ctx, input)),
  }),
  signOut: t.boolean({
    description: 'Ends the session of this request; false: there was none. The cookie goes in any case. For everyone.',
    policy: { opens: 'public' },
    resolve: (_root, _args, ctx) => signOut(ctx),
  }),
  signOutEverywhere: t.int({
    description:
      'Ends every session of the caller, this one too, and answers how many there were. People of every role; the operator: those of the operator.',
    policy: forSignedIn,
    resolve: (_root, _args, ctx) => signOutEverywhere(ctx),
  }),
  revokeSession: t.field({
    type: SessionRef,
    description: "Ends one of the caller's own sessions. People of every role; the operator: one of the operator.",
    policy: forSignedIn,
    args: { sessionId: t.arg.string({ required: true, description: 'Id of the session, `ses_…`.' }) },
    resolve: (_root, { sessionId }, ctx) => revokeSession(ctx, sessionId),
  }),
}));
