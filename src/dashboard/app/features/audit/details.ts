/** The changes of an audit entry, in words. */

/** `rate limit: 100 → 50 · name: Main`. */
export function detailsWord(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .map(
      ([name, value]) =>
        `${nameWord(name)}: ${isChange(value) ? `${word(value.from)} → ${word(value.to)}` : word(value)}`,
    )
    .join(' · ');
}

/** `rateLimit` as `rate limit`. */
function nameWord(name: string): string {
  return name.replaceAll(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`);
}

function isChange(value: unknown): value is { readonly from: unknown; readonly to: unknown } {
  return typeof value === 'object' && value !== null && 'from' in value && 'to' in value;
}

function word(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'not set';
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(word).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `token.revoked` as `Token revoked`. */
export function actionWord(action: string): string {
  const words = action.replaceAll(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
