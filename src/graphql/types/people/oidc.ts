/** The ways to sign in, in GraphQL, and that by the OIDC provider of the settings. */
import { signInByOidcInput } from '../../../modules/accounts/oidc/oidc.input.ts';
import { signInByOidc, startOidc } from '../../../modules/accounts/oidc/sign-in-by-oidc.ts';
import { viewerOf } from '../../../modules/accounts/people/viewer.ts';
import { builder } from '../../builder.ts';
import { inputArg } from '../../from-zod.ts';
import { forStrangers, ViewerRef } from './sign-in.ts';

/** The options on the sign-in page beside a password. */
interface SignInOptions {
  readonly oidcName: string | null;
  readonly resetsPasswords: boolean;
}

const SignInOptionsRef = builder.objectRef<SignInOptions>('SignInOptions').implement({
  description: 'The ways to sign in to this gateway, beside that by password.',
  fields: t => ({
    oidcName: t.nullable('oidcName', 'String', 'What the OIDC provider is called (`OIDC_NAME`); null: there is none.'),
    resetsPasswords: t.member(
      'resetsPasswords',
      'Boolean',
      'Whether who has forgotten a password can have a link mailed (`SMTP_URL`).',
    ),
  }),
});

builder.queryField('signInOptions', t =>
  t.field({
    type: SignInOptionsRef,
    description: 'The ways to sign in. For everyone.',
    policy: { opens: 'public' },
    resolve: (_root, _args, { services: { oidc, mail } }) => ({
      oidcName: oidc?.settings.name ?? null,
      resetsPasswords: mail.isSet,
    }),
  }),
);

builder.mutationFields(t => ({
  startOidc: t.string({
    description:
      'Answers where a browser goes to sign in by the OIDC provider, and sets a cookie that binds the way back to it for 10 minutes. `NOT_FOUND` where there is none. For everyone.',
    policy: { ...forStrangers, deadlineFor: 'nobody' },
    resolve: (_root, _args, ctx) => startOidc(ctx),
  }),
  signInByOidc: t.field({
    type: ViewerRef,
    description:
      'Signs in who comes back from the OIDC provider to `/dashboard/oidc`: the answer sets the cookie of a session. `WRONG_AREA` for who has no role in `OIDC_ROLES`. For everyone.',
    policy: { ...forStrangers, deadlineFor: 'nobody' },
    args: inputArg(signInByOidcInput, 'What the browser brings back.'),
    resolve: async (_root, { input }, ctx) => viewerOf(ctx, await signInByOidc(ctx, input)),
  }),
}));
