/** The verb *update region*: where an account is, by which pages show times and read national numbers. */
import { z } from 'zod';
import { type Ctx, managedAccount, requireAccount } from '../../../context.ts';
import { isCountry } from '../../../kernel/phone.ts';
import { changes } from '../../audit/record-audit.ts';
import type { Account } from '../account.entity.ts';
import { changeAccount } from '../manage-accounts.ts';

/** The longest name of a zone has 32 characters. */
const ZONE_LENGTH_MAX = 64;

/** The input of `updateRegion`: absent members stay unchanged. */
export const updateRegionInput = z
  .strictObject({
    timeZone: z
      .string()
      .max(ZONE_LENGTH_MAX)
      .refine(isTimeZone, 'must be the name of a time zone, like Europe/Berlin')
      .nullish()
      .meta({ description: 'The time zone, an IANA name like `Europe/Berlin`; null: `UTC`' }),
    country: z
      .string()
      .transform(code => code.toUpperCase())
      .refine(isCountry, 'must be the code of a country, two letters like US')
      .nullish()
      .meta({ description: 'The country that national numbers are read by, ISO 3166-1 alpha-2; null: none' }),
  })
  .meta({ id: 'UpdateRegionInput', description: 'Where the account is. What is absent stays as it is' });

/** Sets where the caller's account is. @throws AppError as `managedAccount` */
export async function updateRegion(ctx: Ctx, input: z.output<typeof updateRegionInput>): Promise<Account> {
  const accountId = managedAccount(ctx) ?? requireAccount(ctx).account.id;
  return changeAccount(ctx, accountId, 'account.updated', account => {
    const before = regionOf(account);
    if (input.timeZone !== undefined) account.timeZone = input.timeZone ?? 'UTC';
    if (input.country !== undefined) account.country = input.country;
    return changes(before, regionOf(account));
  });
}

function regionOf({ timeZone, country = null }: Account): Record<string, unknown> {
  return { timeZone, country };
}

/** Whether a text is the name of a zone. Offsets such as `+01:00` know no summer time. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}
