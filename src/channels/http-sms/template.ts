/** The placeholders of a request: `{{to}}`, `{{from}}`, `{{text}}`, `{{attemptId}}`, `{{receiptsUrl}}` and `{{secret.<name>}}`. */

/** Values by the names of their placeholders, well-formed. */
export type Values = Readonly<Record<string, string>>;

/** Encodes a value for the place where it stands; `name` is its placeholder's. */
type Encode = (value: string, name: string) => string;

/** A text that was read: what stands between its placeholders, and at every second place the name of one. */
export type Template = readonly string[];

/** The names that a placeholder may have, beside `secret.<name>`. */
const PLACEHOLDERS = ['to', 'from', 'text', 'attemptId', 'receiptsUrl'] as const;

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Reads a text with placeholders. */
export function readTemplate(text: string): Template {
  return text.split(PLACEHOLDER);
}

/** The names of its placeholders, each once. */
export function namesIn(template: Template): string[] {
  return [...new Set(template.filter((_part, index) => index % 2 === 1))];
}

/** The fault in the placeholders of a text, as the mend of its field; null: there is none. @param secrets the names of the secrets */
export function faultOf(text: string, secrets: readonly string[]): string | null {
  const template = readTemplate(text);
  const known: readonly string[] = [...PLACEHOLDERS, ...secrets.map(name => `secret.${name}`)];
  const unknown = namesIn(template).find(name => !known.includes(name));
  if (unknown !== undefined) return `holds the unknown placeholder {{${unknown}}}`;
  const isOpen = template.some((part, index) => index % 2 === 0 && part.includes('{{'));
  return isOpen ? 'holds {{ without a placeholder' : null;
}

/** The text with its values, encoded. */
export function fill(template: Template, values: Values, encode: Encode): string {
  return template.map((part, index) => (index % 2 === 0 ? part : encode(values[part] ?? '', part))).join('');
}

/** A value as it is: the whole is encoded by who asked. */
export const asItIs: Encode = value => value;

/** A value as a part of a path or a query: whatever a URL gives a meaning to is escaped. No escape helps for `.` and `..`, which are steps of a path. */
export const inUrl: Encode = encodeURIComponent;

/**
 * A value as a part of a header, which has one line: percent-encoded where it is not printable ASCII. `%` is encoded too, so that the value can be read
 * back, and blanks at the ends, which servers strip. Secrets go unencoded: a config was refused whose secret a header cannot hold.
 */
export const inHeader: Encode = (value, name) =>
  name.startsWith('secret.') ? value : value.replaceAll(/[^\x20-\x7e]+|%|^ +| +$/g, encodeURIComponent);

/** A JSON value that was read: fills its texts, while the names of members stay as they are. */
type JsonTemplate = (values: Values) => unknown;

/** Reads a JSON value with placeholders in its texts. */
export function readJsonTemplate(json: unknown): JsonTemplate {
  if (typeof json === 'string') {
    const template = readTemplate(json);
    return values => fill(template, values, asItIs);
  }
  if (Array.isArray(json)) {
    const items = json.map(readJsonTemplate);
    return values => items.map(item => item(values));
  }
  if (json === null || typeof json !== 'object') return () => json;
  const members = Object.entries(json).map(([name, value]) => [name, readJsonTemplate(value)] as const);
  return values => Object.fromEntries(members.map(([name, member]) => [name, member(values)]));
}

/** Every text in a JSON value. */
export function textsIn(json: unknown): string[] {
  if (typeof json === 'string') return [json];
  if (json === null || typeof json !== 'object') return [];
  return Object.values(json).flatMap(textsIn);
}
