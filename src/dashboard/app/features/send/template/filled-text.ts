/** How the text of a template will look. */

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

/** The text with the parameters of its body, in their order or by their names. What is not given stays as it is. @param components as JSON */
export function filledText(text: string, components: string): string {
  const given = bodyParameters(components);
  const byName = new Map(given.map(({ parameter_name: name }, index) => [String(name ?? index + 1), index]));
  return text.replaceAll(PLACEHOLDER, (placeholder, name: string) => {
    const value = given[byName.get(name) ?? -1]?.text;
    return typeof value === 'string' && value !== '' ? value : placeholder;
  });
}

/** The text of a template for codes with a code in its place. */
export function textWithCode(text: string, code: string): string {
  return text.replaceAll(PLACEHOLDER, () => code);
}

interface Parameter {
  readonly text?: unknown;
  readonly parameter_name?: unknown;
}

/** None: the JSON is none, or not that of components. */
function bodyParameters(json: string): readonly Parameter[] {
  try {
    const components: unknown = JSON.parse(json);
    if (!Array.isArray(components)) return [];
    const body = components.find(component => String(component?.type).toLowerCase() === 'body');
    return Array.isArray(body?.parameters) ? body.parameters.filter(isObject) : [];
  } catch {
    return [];
  }
}

function isObject(value: unknown): value is Parameter {
  return typeof value === 'object' && value !== null;
}
