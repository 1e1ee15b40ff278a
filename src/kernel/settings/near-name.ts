/** Longer than any known name, with every typing error. */
const GIVEN_LENGTH_MAX = 100;

/** The known name that a misspelt one means: equal but for case, `_` and `-`, or one edit (or swap) away. Null: none. */
export function nearName(given: string, names: readonly string[]): string | null {
  if (given.length > GIVEN_LENGTH_MAX) return null;
  const written = plain(given);
  return names.find(name => plain(name) === written) ?? names.find(name => isOneEdit(written, plain(name))) ?? null;
}

function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}

/** Whether exactly one edit turns one text into the other. */
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
