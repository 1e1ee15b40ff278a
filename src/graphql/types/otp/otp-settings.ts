/** The OTP settings of an account in GraphQL, and the template by which its cloud number sends codes. */

import type { OtpTemplate } from '../../../context.ts';
import { ORDINARY } from '../../../kernel/field-policy.ts';
import { setOtpTemplate, setOtpTemplateInput } from '../../../modules/accounts/manage-senders.ts';
import { Sender } from '../../../modules/accounts/sender.entity.ts';
import {
  FRAUD_MODES,
  OTP_SETTINGS_DEFAULT,
  OTP_SETTINGS_RANGES,
  type WholeSetting,
  wholeSettings,
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

const MEANINGS: Readonly<Record<WholeSetting, string>> = {
  cooldownSeconds: 'Seconds before a recipient is sent another OTP',
  sendsPerHour: 'OTPs to one recipient in an hour',
  sendsPerDay: 'OTPs to one recipient in 24 hours',
  sendsPerAddress: "OTPs in an hour for one end user's address, of the sends that name it in `clientIp`",
  wrongCodesPerDay: 'Wrong codes for one recipient in 24 hours, over all of its pins',
  wrongCodesPerAddress: 'Wrong codes from one address in 5 minutes',
  wrongCodesPerAccount: 'Wrong codes of the account in a minute, over all of its tokens, pins and addresses',
};

const SMART_ENCODING = 'Whether the SMS of OTPs go out with typographic characters as GSM ones';

function rangeOf(name: WholeSetting): string {
  const [min, max] = OTP_SETTINGS_RANGES[name];
  const none = name === 'sendsPerAddress' ? ', or null for no limit' : '';
  return `${min} to ${max.toLocaleString('en-US')}${none}; default ${OTP_SETTINGS_DEFAULT[name] ?? 'no limit'}`;
}

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

const UpdateOtpSettingsInput = builder.inputType('UpdateOtpSettingsInput', {
  description:
    'OTP settings of an account. What is absent stays as it is; null brings back the default, but for `sendsPerAddress`.',
  fields: t => ({
    accountId: t.string({ required: true, description: 'The account.' }),
    ...wholeSettings((_rule, name) => t.int({ description: `${MEANINGS[name]}, ${rangeOf(name)}.` })),
    countries: t.stringList({
      description:
        'The countries that OTPs go to, ISO 3166-1 alpha-2, like `["US", "DE"]`; `["*"]`: every country; null: not chosen.',
    }),
    fraudMode: t.field({
      type: FraudModeEnum,
      description: 'What the fraud guard does; default `OBSERVE`. `BLOCK` needs `countries`.',
    }),
    smartEncoding: t.boolean({ description: `${SMART_ENCODING}; default true.` }),
  }),
});

builder.queryField('otpSettings', t =>
  t.field({
    type: OtpSettingsRef,
    description: 'The OTP settings of an account. Tokens: unified, management (their own); the operator of any.',
    policy: { ...ORDINARY, opens: ['unified', 'management'], isForServers: true },
    args: { accountId: t.arg.string({ description: 'The account; absent: the account of the token.' }) },
    resolve: (_root, { accountId }, ctx) => otpSettings(ctx, accountId ?? null),
  }),
);

builder.mutationFields(t => ({
  updateOtpSettings: t.field({
    type: OtpSettingsRef,
    description: 'Sets OTP settings of an account, everywhere within a second. The operator only.',
    policy: { ...ORDINARY, opens: 'operator' },
    args: {
      input: t.arg({
        type: UpdateOtpSettingsInput,
        required: true,
        description: 'What changes.',
        validate: { schema: updateOtpSettingsInput },
      }),
    },
    resolve: (_root, { input }, ctx) => updateOtpSettings(ctx, input),
  }),
  setOtpTemplate: t.field({
    type: Sender,
    description: 'Sets the template by which a cloud number sends codes. The operator only.',
    policy: { ...ORDINARY, opens: 'operator' },
    ...byInput(setOtpTemplateInput, 'The number and its template.', setOtpTemplate),
  }),
}));
