/** The config of a provider as inputs: read from its JSON Schema, and put together again. */

/** An input. */
export interface ConfigInput {
  readonly name: string;
  readonly label: string;
  readonly about: string | undefined;
  readonly kind: 'text' | 'secret' | 'number' | 'switch' | 'choice' | 'json';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** What it is where it is left empty. */
  readonly preset: string | undefined;
}

interface Schema {
  readonly type?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The inputs of a config, required ones first. */
export function inputsOf(configSchema: Readonly<Record<string, unknown>>): ConfigInput[] {
  const { properties = {}, required = [] } = configSchema as Schema;
  return Object.entries(properties)
    .map(([name, property]) => {
      // `null` is the same as nothing given.
      const options = property.anyOf?.filter(({ type }) => type !== 'null');
      const schema = options?.length === 1 ? { ...property, ...options[0] } : property;
      return {
        name,
        label: property.title ?? labelOf(name),
        about: property.description,
        kind: kindOf(schema),
        choices: (schema.enum ?? []).map(String),
        isRequired: required.includes(name) && property.default === undefined,
        preset: property.default === undefined ? undefined : shown(property.default),
      } satisfies ConfigInput;
    })
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

function kindOf({ type, enum: choices, writeOnly }: Schema): ConfigInput['kind'] {
  if (choices) return 'choice';
  if (type === 'string') return writeOnly ? 'secret' : 'text';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' ? 'switch' : 'json';
}

/** `systemId` as `System id`. */
function labelOf(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function shown(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** What the inputs show of a config. */
export function textsOf(config: Readonly<Record<string, unknown>> | null): Record<string, string> {
  return Object.fromEntries(
    Object.entries(config ?? {}).flatMap(([name, value]) => (value == null ? [] : [[name, shown(value)]])),
  );
}

/** The config that the inputs say, and which of them hold no JSON though they have to. */
export function configOf(
  inputs: readonly ConfigInput[],
  texts: Readonly<Record<string, string>>,
): { readonly config: Record<string, unknown>; readonly broken: readonly string[] } {
  const config: Record<string, unknown> = {};
  const broken: string[] = [];
  for (const { name, kind } of inputs) {
    const text = texts[name] ?? '';
    if (text === '') continue;
    if (kind === 'number') config[name] = Number(text);
    else if (kind === 'switch') config[name] = text === 'true';
    else if (kind === 'json') {
      try {
        config[name] = JSON.parse(text);
      } catch {
        broken.push(name);
      }
    } else config[name] = text;
  }
  return { config, broken };
}
