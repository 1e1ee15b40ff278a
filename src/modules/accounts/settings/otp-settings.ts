/** The verbs on an account's OTP settings: an operator sets them, a token of the account reads its own. */
import { z } from 'zod';
import type { OtpSettings } from '../../../context.ts';
import { type Ctx, requireOperator } from '../../../context.ts';
import { invalidInput } from '../../../kernel/errors.ts';
import { isCountry } from '../../../kernel/phone.ts';
import { changes } from '../../audit/record-audit.ts';
import { changeAccount, getAccount } from '../manage-accounts.ts';
import { requireAreas, requireOwn } from '../read-scope.ts';
import {
  COUNTRIES_MAX,
  EVERY_COUNTRY,
  fraudModeRule,
  OTP_SETTINGS_MEANINGS as MEANINGS,
  OTP_SETTINGS_DEFAULT,
  OTP_SETTINGS_RANGES,
  readOtpSettings,
  SMART_ENCODING,
  type WholeSetting,
  wholeSettings,
} from './otp-settings.policy.ts';

const COUNTRY_FAULT = 'must be the code of a country, two letters like US';

const country = z
  .string()
  .regex(/^([A-Za-z]{2}|\*)$/, COUNTRY_FAULT)
  .transform(code => code.toUpperCase())
  .refine(code => code === EVERY_COUNTRY || isCountry(code), COUNTRY_FAULT);

const countries = z
  .array(country)
  .min(1, `must name at least one country; ${EVERY_COUNTRY} is every country, null chooses none`)
  .max(COUNTRIES_MAX, `must name at most ${COUNTRIES_MAX} countries`)
  .transform(codes => [...new Set(codes)])
  .refine(
    codes => codes.length === 1 || !codes.includes(EVERY_COUNTRY),
    `must be ${EVERY_COUNTRY} alone, or countries without it`,
  );

/** The input of `updateOtpSettings`: absent members stay unchanged; null restores the default, but for `sendsPerAddress`, which it switches off. */
export const updateOtpSettingsInput = z
  .strictObject({
    accountId: z.string().meta({ description: 'The account' }),
    ...wholeSettings((rule, name) => rule.nullish().meta({ description: `${MEANINGS[name]}, ${rangeOf(name)}` })),
    countries: countries.nullish().meta({
      description:
        'The countries that OTPs go to, ISO 3166-1 alpha-2, like `["US", "DE"]`; `["*"]`: every country; null: not chosen',
    }),
    fraudMode: fraudModeRule.nullish().meta({
      description: 'What the fraud guard does; default `OBSERVE`. `BLOCK` needs `countries`',
    }),
    smartEncoding: z
      .boolean()
      .nullish()
      .meta({ description: `${SMART_ENCODING}; default true` }),
  })
  .meta({
    id: 'UpdateOtpSettingsInput',
    description:
      'OTP settings of an account. What is absent stays as it is; null brings back the default, but for `sendsPerAddress`',
  });

function rangeOf(name: WholeSetting): string {
  const [min, max] = OTP_SETTINGS_RANGES[name];
  const none = name === 'sendsPerAddress' ? ', or null for no limit' : '';
  return `${min} to ${max.toLocaleString('en-US')}${none}; default ${OTP_SETTINGS_DEFAULT[name] ?? 'no limit'}`;
}

/** The settings of an account, with its id. */
export interface AccountOtpSettings extends OtpSettings {
  readonly accountId: string;
}

/**
 * Sets the OTP settings of an account, for every process within a second.
 * @throws AppError `not_found`, and `invalid_input` on `countries` for the fraud mode `block` without countries
 */
export async function updateOtpSettings(
  ctx: Ctx,
  input: z.output<typeof updateOtpSettingsInput>,
): Promise<AccountOtpSettings> {
  requireOperator(ctx);
  const { accountId, ...given } = input;
  const { id, otpSettings: kept } = await changeAccount(ctx, accountId, 'otp_settings.updated', account => {
    const stored = merge(account.otpSettings, given);
    const { fraudMode, countries } = readOtpSettings(stored);
    if (fraudMode === 'block' && countries === null) {
      throw invalidInput(
        'countries',
        `choose the countries that passcodes go to, like ["US"], or ["${EVERY_COUNTRY}"] for every country: the fraud mode block needs them`,
      );
    }
    const details = changes(toldOf(account.otpSettings), toldOf(stored));
    if (details !== null) account.otpSettings = stored;
    return details;
  });
  return { accountId: id, ...readOtpSettings(kept) };
}

/** Only values that were set are stored, so that later defaults apply to the others. Null is the value of a limit that is switched off. */
function merge(stored: Partial<OtpSettings> | null | undefined, changes: object): Partial<OtpSettings> | null {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const kept = Object.entries({ ...stored, ...Object.fromEntries(given) }).filter(
    ([name, value]) => value !== null || name === 'sendsPerAddress',
  );
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The stored settings for the audit trail. Null means there that nothing is stored, so a limit that is off is `none`. */
function toldOf(stored: Partial<OtpSettings> | null | undefined): Readonly<Record<string, unknown>> {
  return stored?.sendsPerAddress === null ? { ...stored, sendsPerAddress: 'none' } : { ...stored };
}

/**
 * The OTP settings of an account. An operator reads any, a `unified` or `management` token its own.
 * @throws AppError `unauthenticated`, `wrong_area`, `not_found`; `invalid_input` for an operator who named no account
 */
export async function otpSettings(ctx: Ctx, accountId: string | null): Promise<AccountOtpSettings> {
  const { id, otpSettings: stored } = await getAccount(ctx.em, accountToRead(ctx, accountId));
  return { accountId: id, ...readOtpSettings(stored) };
}

function accountToRead(ctx: Ctx, accountId: string | null): string {
  if (accountId !== null && ctx.actor.kind === 'operator') return accountId;
  return requireOwn(requireAreas(ctx, 'unified', 'management'), accountId);
}
