/** The OTP settings of an account in GraphQL, and the template by which its cloud number sends codes. */

import type { OtpTemplate } from '../../../context.ts';
import { setOtpTemplate, setOtpTemplateInput } from '../../../modules/accounts/manage-senders.ts';
import { Sender } from '../../../modules/accounts/sender.entity.ts';
import {
  FRAUD_MODES,
  OTP_SETTINGS_MEANINGS as MEANINGS,
  SMART_ENCODING,
} from '../../../modules/accounts/settings/otp-settings.policy.ts';
import {
  type AccountOtpSettings,
  otpSettings,
  updateOtpSettings,
  updateOtpSettingsInput,
} from '../../../modules/accounts/settings/otp-settings.ts';
import { builder } from '../../builder.ts';
import { byInput, defineEnum } from '../../from-zod.ts';

const FraudModeEnum = defineEnum(
  'FraudMode',
  FRAUD_MODES,
  'What the fraud guard does with an OTP that it finds suspicious.',
  {
    off: 'Nothing is checked.',
    observe: 'The OTP is sent, and the log says what `BLOCK` would have refused.',
    block: 'The OTP is refused. Needs `countries`.',
  },
);

const OtpSettingsRef = builder.objectRef<AccountOtpSettings>('OtpSettings').implement({
  description: 'How the OTPs of an account are limited, guarded and encoded.',
  fields: t => ({
    id: t.member('accountId', 'ID', 'The same as `accountId`, for client caches.'),
    accountId: t.member('accountId', 'String', 'The account, `acc_…`.'),
    cooldownSeconds: t.member('cooldownSeconds', 'NonNegativeInt', `${MEANINGS.cooldownSeconds}.`),
    sendsPerHour: t.member('sendsPerHour', 'PositiveInt', `${MEANINGS.sendsPerHour}.`),
    sendsPerDay: t.member('sendsPerDay', 'PositiveInt', `${MEANINGS.sendsPerDay}.`),
    sendsPerAddress: t.nullable('sendsPerAddress', 'PositiveInt', `${MEANINGS.sendsPerAddress}; null: no limit.`),
    wrongCodesPerDay: t.member('wrongCodesPerDay', 'PositiveInt', `${MEANINGS.wrongCodesPerDay}.`),
    wrongCodesPerAddress: t.member('wrongCodesPerAddress', 'PositiveInt', `${MEANINGS.wrongCodesPerAddress}.`),
    wrongCodesPerAccount: t.nullable(
      'wrongCodesPerAccount',
      'PositiveInt',
      `${MEANINGS.wrongCodesPerAccount}; null: no limit.`,
    ),
    countries: t.nullable(
      'countries',
      ['String'],
      'The countries that OTPs go to, ISO 3166-1 alpha-2; `["*"]`: every country; null: not chosen, so every country.',
    ),
    fraudMode: t.member('fraudMode', FraudModeEnum, 'What the fraud guard does.'),
    smartEncoding: t.member('smartEncoding', 'Boolean', `${SMART_ENCODING}.`),
  }),
});

const OtpTemplateRef = builder.objectRef<OtpTemplate>('OtpTemplate').implement({
  description: 'An approved authentication template of a cloud number.',
  fields: t => ({
    name: t.member('name', 'String', 'Name of the template.'),
    language: t.member('language', 'String', 'Language of the template, like `en_US`.'),
  }),
});

builder.objectField(Sender, 'otpTemplate', t =>
  t.nullable('otpTemplate', OtpTemplateRef, 'The template by which a cloud number sends codes; null: it has none.'),
);

builder.queryField('otpSettings', t =>
  t.field({
    type: OtpSettingsRef,
    description: 'The OTP settings of an account. Tokens: unified, management (their own); the operator of any.',
    policy: { opens: ['unified', 'management'], isForServers: true },
    args: { accountId: t.arg.string({ description: 'The account; absent: the account of the token.' }) },
    resolve: (_root, { accountId }, ctx) => otpSettings(ctx, accountId ?? null),
  }),
);

builder.mutationFields(t => ({
  updateOtpSettings: t.field({
    type: OtpSettingsRef,
    description: 'Sets OTP settings of an account, everywhere within a second. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(updateOtpSettingsInput, 'What changes.', updateOtpSettings),
  }),
  setOtpTemplate: t.field({
    type: Sender,
    description: 'Sets the template by which a cloud number sends codes. The operator only.',
    policy: { opens: 'operator' },
    ...byInput(setOtpTemplateInput, 'The number and its template.', setOtpTemplate),
  }),
}));
