/** The verb *export a recipient*: all that an account holds of one person, in pages (contract §16). */
import { z } from 'zod';
import type { Ctx } from '../../context.ts';
import { invalidInput } from '../../kernel/errors.ts';
import { wholeFrom } from '../../kernel/input.ts';
import { isStorableText } from '../../kernel/storable.ts';
import { findRecipient, recipientInput, requireRecipient } from './find-recipient.ts';
import { EXPORT_ROWS, type RecipientTable, TABLES } from './recipient.sql.ts';
import { shownName, shownRow } from './shown-record.policy.ts';

/** The largest page, which is the page of a caller who names no size: most exports are one. */
const PAGE_MAX = 1_000;

/** The input of `exportRecipient`. */
export const exportRecipientInput = recipientInput.extend({
  limit: wholeFrom(1, PAGE_MAX)
    .nullish()
    .meta({ description: `How many records, 1 to ${PAGE_MAX}; ${PAGE_MAX} where absent` }),
  cursor: z.string().nullish().meta({ description: 'The `nextCursor` of the page before' }),
});

/** A row that is held of a recipient. */
export interface RecipientRecord {
  /** The kind of the row, such as `messages`. */
  readonly table: string;
  /** The columns by name, but for secrets. */
  readonly row: Record<string, unknown>;
}

/** A page of what is held of a recipient. */
export interface RecipientExport {
  readonly accountId: string;
  /** The number in digits-only form. */
  readonly to: string;
  /** All that the person is called: numbers, and ids of channels. */
  readonly addresses: readonly string[];
  readonly records: readonly RecipientRecord[];
  /** Null: this is the last page. */
  readonly nextCursor: string | null;
}

/** The place of a row: its table, and the key that orders the table. */
const placeSchema = z.tuple([z.enum(TABLES as [RecipientTable]), z.string().refine(isStorableText)]);

type Place = z.infer<typeof placeSchema>;

/** Reads a page. @throws AppError `invalid_input` on `cursor`; as `requireRecipient` */
export async function exportRecipient(
  ctx: Ctx,
  { limit = null, cursor, ...input }: z.infer<typeof exportRecipientInput>,
): Promise<RecipientExport> {
  const recipient = await requireRecipient(ctx, input);
  const place = cursor == null ? null : readCursor(cursor);
  const sql = ctx.services.database.sql(ctx.signal);
  const found = await findRecipient(sql, recipient, ctx.actor.kind === 'operator');
  const size = limit ?? PAGE_MAX;
  const read: { readonly place: Place; readonly row: unknown }[] = [];
  for (const table of TABLES.slice(place ? TABLES.indexOf(place[0]) : 0)) {
    const from = place?.[0] === table ? place[1] : '';
    // One more than is shown tells whether there is a next page.
    const rows = await EXPORT_ROWS[table].run(sql, { ...found, after: from, limit: size + 1 - read.length });
    read.push(...rows.map(({ key, row }) => ({ place: [table, key] as Place, row })));
    if (read.length > size) break;
  }
  const records = read.slice(0, size).map(({ place: [table], row }) => ({
    table: shownName(table),
    row: shownRow(table, Object(row)),
  }));
  const last = read.length > size ? read[size - 1] : undefined;
  return { ...recipient, addresses: found.addresses, records, nextCursor: last ? cursorOf(last.place) : null };
}

const cursorOf = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

function readCursor(text: string): Place {
  try {
    return placeSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalidInput('cursor', 'must be a cursor that an earlier page gave');
  }
}
