/** Texts that come in parts: they become one, whole or with gaps. */
import type { InboundPart } from '../../../channels/contract.ts';
import { joinParts } from '../../../channels/smpp/text.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import type { InboundHead, InboundRow } from '../inbound-row.ts';
import { newRow } from '../inbound-row.ts';
import { ADD_PARTS } from './parts.sql.ts';

/** A part of a text, as it is stored. */
export interface PartRow {
  readonly head: InboundHead & { readonly connection_id: string };
  /** The provider's own id of the part; null: it has none. */
  readonly seenId: string | null;
  /** As `heldText` makes it. */
  readonly text: string;
  readonly part: InboundPart;
}

/** The place of a part that did not come. */
const GAP = '[…]';

/** A text as far as it has come. */
interface Parted {
  readonly head: object;
  readonly total: number;
  readonly parts: Readonly<Record<string, string>>;
}

const ESCAPE = '\u001b';

const HELD_HALVES = new RegExp(`${ESCAPE}(d[89a-f][0-9a-f]{2})`, 'g');

/** The text of a part as it is held: PostgreSQL stores no half of a character, whose other half is in the next part. */
export function heldText(text: string): string {
  return text
    .replaceAll('\u0000', '')
    .replaceAll(/\p{Surrogate}/gu, half => `${ESCAPE}${half.charCodeAt(0).toString(16)}`);
}

const readHeld = (text: string): string =>
  text.replaceAll(HELD_HALVES, (_held, half: string) => String.fromCharCode(Number.parseInt(half, 16)));

/** The message of a text in parts. Each gap shows, since a text that lacks a piece may say the opposite; so it is no word either. */
export function joined({ head, total, parts }: Parted): InboundRow {
  const pieces = Array.from({ length: total }, (_unused, index) => parts[index + 1] ?? null);
  let text = '';
  for (const [index, piece] of pieces.entries()) {
    if (piece !== null) text = joinParts(text, readHeld(piece));
    // Several in a row are one gap.
    else if (index === 0 || pieces[index - 1] !== null) text += GAP;
  }
  // Only `ADD_PARTS` writes heads.
  const row = newRow(head as InboundHead, text, null);
  return pieces.includes(null) ? { ...row, word: null } : row;
}

/**
 * Stores parts, and answers for each in turn the message that it completed, `waiting` where others are missing, or `repeated`. Parts that
 * complete one message together answer the same one.
 */
export async function addParts(sql: Sql, parts: readonly PartRow[]): Promise<(InboundRow | 'waiting' | 'repeated')[]> {
  const results: (InboundRow | 'waiting' | 'repeated')[] = parts.map(() => 'repeated');
  if (parts.length === 0) return results;
  const texts = await ADD_PARTS.run(sql, {
    parts: parts.map(({ head, seenId, text, part }, ord) => ({
      ord,
      connection_id: head.connection_id,
      seen_id: seenId,
      key: keyOf(head, part),
      head,
      total: part.total,
      number: part.number,
      text,
    })),
  });
  for (const text of texts) {
    const result = text.isWhole ? joined(text) : 'waiting';
    for (const ord of text.ords) results[Number(ord)] = result;
  }
  return results;
}

function keyOf({ from_number, from_user_id, to_address }: InboundHead, { reference, total }: InboundPart): string {
  return JSON.stringify([from_number ?? from_user_id, to_address, reference, total]);
}
