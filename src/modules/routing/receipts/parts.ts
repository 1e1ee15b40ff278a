/** Texts in several parts: a text is delivered when all of its parts are, and failed as soon as one is. */
import type { Receipt } from '../../../channels/contract.ts';
import { PROVIDERS } from '../../../channels/registry.ts';
import type { Ctx } from '../../../context.ts';
import { defineStatementBatch } from '../../../db/batch.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import { isStorableText } from '../../../kernel/storable.ts';
import { KEEP_PARTS, RAISE_PARTS } from './parts.sql.ts';

/** The providers that report the parts of a text by themselves: those of the others are looked for nowhere. */
const WITH_PARTS: ReadonlySet<string> = new Set(
  PROVIDERS.filter(({ capabilities }) => capabilities.parts).map(({ id }) => id),
);

interface TakenParts {
  readonly attemptId: string;
  readonly connectionId: string;
  /** The provider's ids, in order. */
  readonly partIds: readonly string[];
}

const keep = defineStatementBatch<TakenParts, void>('parts', async (sql, items) => {
  const parts = items.flatMap(({ attemptId, connectionId, partIds }) =>
    partIds.filter(isStorableText).map(partId => ({
      connection_id: toUuid(connectionId),
      part_id: partId,
      attempt_id: toUuid(attemptId),
    })),
  );
  await KEEP_PARTS.run(sql, { parts });
  return items.map(() => undefined);
});

/** Stores the parts of an attempt, before the attempt itself is settled: a receipt may be faster. @throws AppError `database_unavailable` */
export async function keepParts({ services: { database } }: Ctx, taken: TakenParts): Promise<void> {
  await keep(database)(taken);
}

function keyOf(connectionId: string, partId: string): string {
  return `${connectionId} ${partId}`;
}

/**
 * Puts receipts of parts together: answers receipts of whole texts, in order, and null for a part whose text is not whole. Receipts of no part
 * pass as they are. A receipt of a part is stored here, and counts once.
 */
export async function gatherParts(sql: Sql, receipts: readonly Receipt[]): Promise<(Receipt | null)[]> {
  const reported = receipts.flatMap(({ provider, connectionId, providerMessageId, status }) =>
    connectionId != null && WITH_PARTS.has(provider) && isStorableText(providerMessageId)
      ? [{ connection_id: toUuid(connectionId), part_id: providerMessageId, status }]
      : [],
  );
  if (reported.length === 0) return [...receipts];
  const rows = await RAISE_PARTS.run(sql, { reported });
  const found = new Map(rows.map(row => [keyOf(fromUuid('con', row.connection_id), row.part_id), row]));
  return receipts.map(receipt => {
    const row = found.get(keyOf(receipt.connectionId ?? '', receipt.providerMessageId));
    if (!row) return receipt;
    const attemptId = fromUuid('att', row.attempt_id);
    // The receipt of a text is matched by the id of its attempt, not by that of a part. Null: the text is not whole yet.
    return row.whole && { ...receipt, status: row.whole, attemptId, providerMessageId: attemptId };
  });
}
