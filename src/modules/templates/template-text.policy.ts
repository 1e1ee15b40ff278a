/** The text of a template, for people. Pure. */

/** The parts of a template, as its provider has them, or the parameters of a send in the same form. */
type Components = readonly Record<string, unknown>[];

/** A placeholder: `{{1}}`, or with a name. */
const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/**
 * The text of its body; null: the provider has not told it yet. @param given fill its placeholders, in their order or by their names; one that none is given
 * for stays
 */
export function previewOf(components: Components, given: Components = []): string | null {
  const { text } = bodyOf(components);
  if (typeof text !== 'string') return null;
  const { parameters } = bodyOf(given);
  const values = new Map(
    (Array.isArray(parameters) ? parameters : []).map((parameter, index) => [
      typeof parameter?.parameter_name === 'string' ? parameter.parameter_name : String(index + 1),
      parameter?.text,
    ]),
  );
  return text.replaceAll(PLACEHOLDER, (placeholder, name: string) => {
    const value = values.get(name);
    return typeof value === 'string' && value !== '' ? value : placeholder;
  });
}

/** How many parameters its body takes. */
export function parameterCountOf(components: Components): number {
  const names = [...(previewOf(components) ?? '').matchAll(PLACEHOLDER)].map(([, name]) => name);
  return new Set(names).size;
}

/** Empty: there is none. */
function bodyOf(components: Components): Record<string, unknown> {
  return components.find(({ type }) => typeof type === 'string' && type.toUpperCase() === 'BODY') ?? {};
}
