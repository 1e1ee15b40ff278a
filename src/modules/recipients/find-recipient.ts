/** A recipient of an account, and how the rows of one are found. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { toUuid } from '../../kernel/ids.ts';
import { requirePhone } from '../../kernel/phone.ts';
import { textInput } from '../../kernel/storable.ts';
import { askedAccount } from '../audit/list-audit.ts';
import { FIND_DELIVERIES, FIND_SENDS, FIND_WHOLE_PERSON } from './find-recipient.sql.ts';
import { formsOf, quotedPattern, speltPattern } from './spellings.policy.ts';

/** Longer than any number, however it is written. */
const NUMBER_MAX = 64;

/** The recipient that a caller means. */
export const recipientInput = z.strictObject({
  to: textInput(NUMBER_MAX).meta({
    description: 'The phone number of the recipient, with country code',
    example: '+12025550100',
  }),
  accountId: z.string().nullish().meta({
    description: 'Of this account; absent: of the account of the token, or of the one that an operator acts for',
  }),
});

/** A recipient of one account. */
export interface Recipient {
  readonly accountId: string;
  /** The number in digits-only form. */
  readonly to: string;
}

/**
 * The recipient that a caller means, whether or not anything is held of it. @throws AppError `unauthenticated`, `wrong_area`; `not_found` for an unknown or
 * another's account; `invalid_input` on `to`, and on `accountId` where an operator names none
 */
export async function requireRecipient(ctx: Ctx, input: z.infer<typeof recipientInput>): Promise<Recipient> {
  const accountId = await askedAccount(ctx, input.accountId);
  if (accountId === null) throw invalidInput('accountId', 'name the account whose recipient it is');
  return { accountId, to: requirePhone('to', input.to.trim()).digits };
}

/** Finds the people of numbers, by each form of all that they are called. Of the forms of one mobile each may be a person of its own. */
async function findPeople(
  sql: Sql,
  account: string,
  numbers: readonly string[],
): Promise<{ readonly addresses: readonly string[]; readonly people: readonly string[] }> {
  const { addresses = numbers, people = [] } = (await FIND_WHOLE_PERSON.first(sql, { account, numbers })) ?? {};
  const all = [...new Set(addresses.flatMap(formsOf))];
  return all.length > addresses.length ? findPeople(sql, account, all) : { addresses, people };
}

/**
 * Finds what is held of a recipient: by the number in each of its forms, and by all that its person is called. @param shared also what shared connections
 * know of it, which are the operator's @throws errors of the database
 */
export async function findRecipient(sql: Sql, { accountId, to }: Recipient, shared: boolean) {
  const account = toUuid(accountId);
  const { addresses, people } = await findPeople(sql, account, formsOf(to));
  const { sends = [], attempts = [] } = (await FIND_SENDS.first(sql, { account, addresses })) ?? {};
  const { deliveries = [] } = (await FIND_DELIVERIES.first(sql, { account, sends })) ?? {};
  const spelt = speltPattern(addresses);
  return { account, shared, addresses, people, sends, attempts, deliveries, spelt, quoted: quotedPattern(addresses) };
}
