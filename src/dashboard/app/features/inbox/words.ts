/** People and their messages in words. */
import type { InboxPersonQuery } from '../../api/operations.generated.ts';
import { phoneWord } from '../../ui/words.ts';

/** A person as the head of a conversation knows it. */
export type Person = InboxPersonQuery['person'];

/** The name that a person shows, else the number, else the id of a channel. */
export function nameOf({ name, to }: { readonly name: string | null; readonly to: string }): string {
  return name ?? phoneWord(to);
}

/** The text of a message in a line; of another type what it is too: `image: Our roof`. */
export function textOf({ type, text }: { readonly type: string; readonly text: string | null }): string {
  if (type === 'text') return text || 'The text is not kept any longer.';
  return text ? `${type}: ${text}` : type;
}
