/** The text of a template, for people. Pure. */

/** A placeholder: `{{1}}`, or with a name. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** The text of its body with its placeholders; null: the provider has not told it yet. */
export function previewOf(components: readonly Record<string, unknown>[]): string | null {
  const text = components.find(({ type }) => String(type).toUpperCase() === 'BODY')?.text;
  return typeof text === 'string' ? text : null;
}

/** How many parameters its body takes. */
export function parameterCountOf(components: readonly Record<string, unknown>[]): number {
  const names = [...(previewOf(components) ?? '').matchAll(PLACEHOLDER)].map(([, name]) => name);
  return new Set(names).size;
}
