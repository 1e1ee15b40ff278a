/** The placeholders of a request: `{{to}}`, `{{from}}`, `{{text}}`, `{{attemptId}}`, `{{receiptsUrl}}` and `{{secret.<name>}}`. */

/** Values by the names of their placeholders. */
export type Values = Readonly<Record<string, string>>;

/** What a placeholder may name, beside `secret.<name>`. */
export const PLACEHOLDERS = ['to', 'from', 'text', 'attemptId', 'receiptsUrl'] as const;

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The placeholders in a text that name nothing, each once. */
export function unknownPlaceholders(text: string, secrets: readonly string[]): string[] {
  const known = new Set<string>([...PLACEHOLDERS, ...secrets.map(name => `secret.${name}`)]);
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
  return [...new Set(names.filter(name => !known.has(name)))];
}

/** The text with its values, each encoded for the place where it stands. */
export function fill(text: string, values: Values, encode: (value: string) => string = String): string {
  return text.replaceAll(PLACEHOLDER, (_whole, name: string) => encode(values[name] ?? ''));
}

/** JSON with its values in its texts; names of members stay as they are. */
export function fillJson(template: unknown, values: Values): unknown {
  if (typeof template === 'string') return fill(template, values);
  if (Array.isArray(template)) return template.map(item => fillJson(item, values));
  if (template === null || typeof template !== 'object') return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillJson(value, values)]));
}

/** Every text in a JSON value. */
export function textsIn(template: unknown): string[] {
  if (typeof template === 'string') return [template];
  if (template === null || typeof template !== 'object') return [];
  return Object.values(template).flatMap(textsIn);
}
