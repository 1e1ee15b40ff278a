/** The input of the list of the ledger. */
import { z } from 'zod';
import { inOrder, pageInput, timeRange } from '../../db/page.ts';
import { oneOf } from '../../kernel/input.ts';
import { LEDGER_KINDS } from './ledger-entry.entity.ts';

/** Longer than any id. One that names nothing is no fault: it finds nothing. */
const ID_LENGTH_MAX = 64;

/** The filter of the ledger. Every field narrows, and an absent one (or null) does not. */
const ledgerFilterInput = inOrder(
  z.strictObject({
    kind: oneOf(LEDGER_KINDS).nullish().meta({ description: 'Only this kind' }),
    attemptId: z
      .string()
      .max(ID_LENGTH_MAX, `must have at most ${ID_LENGTH_MAX} characters`)
      .nullish()
      .meta({ description: 'Only this attempt' }),
    ...timeRange,
  }),
).meta({ id: 'LedgerFilter', description: 'Which entries to list; what is absent does not narrow' });

/** The input of `listLedger`. */
export const listLedgerInput = pageInput.extend({
  filter: ledgerFilterInput.nullish().meta({ description: 'Which entries' }),
});

/** The checked input of `listLedger`. */
export type ListLedgerInput = z.infer<typeof listLedgerInput>;
