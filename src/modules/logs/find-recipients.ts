/** The verb *find recipients*: the numbers that end with some digits, for who knows no more of one. */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { toUuid, uuidFloor } from '../../kernel/ids.ts';
import { readScope } from '../accounts/read-scope.ts';
import { reading } from '../reading/reading.ts';
import { FIND_RECIPIENTS } from './find-recipients.sql.ts';

const DIGITS_MESSAGE = 'must be 4 to 7 digits';

/** The input of `findRecipients`. */
export const findRecipientsInput = z.strictObject({
  endingWith: z
    .string()
    .regex(/^[0-9]{4,7}$/, DIGITS_MESSAGE)
    .meta({ description: 'The last digits, 4 to 7' }),
});

/** The bounds of the search: no index finds numbers by their last digits. */
const LOOK_BACK_MS = 30 * 86_400_000;
const ENTRIES_MAX = 20_000;

/** The most numbers. More are no help to who looks for one. */
const FOUND_MAX = 10;

/**
 * The recipients with these last digits, of the newest 20,000 entries of the log within 30 days; that of the newest one first.
 * @throws AppError as `readScope`
 */
export async function findRecipients(ctx: Ctx, { endingWith }: z.infer<typeof findRecipientsInput>): Promise<string[]> {
  const { accountId } = readScope(ctx);
  const values = {
    account: toUuid(accountId),
    since: uuidFloor(new Date(ctx.clock.now().getTime() - LOOK_BACK_MS)),
    look: ENTRIES_MAX,
    ending: endingWith,
    most: FOUND_MAX,
  };
  const rows = await reading(ctx, ({ services, signal }) => FIND_RECIPIENTS.run(services.database.sql(signal), values));
  return rows.map(({ recipient }) => recipient);
}
