/** Names that were nearly written: `Reference`, `chat_from` and `sendr` are meant to be names that we know. */

/** Far longer than any name of ours, with all that may be wrong about it. */
const GIVEN_LENGTH_MAX = 100;

/**
 * Which of the names was meant by one that is none of them: the same but for case, `_` and `-`, or one edit away from it (a character
 * too many, too few, or another one, or two neighbours swapped). Null: none was.
 */
export function nearName(given: string, names: readonly string[]): string | null {
  if (given.length > GIVEN_LENGTH_MAX) return null;
  const written = plain(given);
  return names.find(name => plain(name) === written) ?? names.find(name => isOneEdit(written, plain(name))) ?? null;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Whether one edit makes one text of another, which is not the same. */
function isOneEdit(a: string, b: string): boolean {
  if (a.length < b.length) return isOneEdit(b, a);
  if (a.length - b.length > 1) return false;
  let at = 0;
  while (at < b.length && a[at] === b[at]) at++;
  const [restA, restB] = [a.slice(at + 1), b.slice(at + 1)];
  if (a.length > b.length) return restA === b.slice(at);
  const isSwapped = a[at] === b[at + 1] && a[at + 1] === b[at] && restA.slice(1) === restB.slice(1);
  return restA === restB || isSwapped;
}
