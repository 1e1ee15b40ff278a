/** The config of a provider as inputs: read from its JSON Schema, and put together again. */

/** The groups of a form that are open, in its order. Behind them stand the routing, and `tuning`. */
export const GROUPS = [
  { group: 'where', label: 'Where' },
  { group: 'who', label: 'Who signs in' },
  { group: 'answers', label: 'Answers and receipts' },
] as const;

/** An input, or a section of them. */
export interface ConfigInput {
  /** The path of its value in the config: `tls.ca`. */
  readonly path: string;
  readonly label: string;
  readonly about: string | undefined;
  /** `pairs`: a name and a value in each line. `section`: inputs of its own. `toggle`: the same, which is switched on. */
  readonly kind:
    | 'text'
    | 'secret'
    | 'long'
    | 'number'
    | 'switch'
    | 'choice'
    | 'list'
    | 'pairs'
    | 'json'
    | 'section'
    | 'toggle';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
  /** The default of an empty input. */
  readonly preset: string | undefined;
  readonly group: string;
  /** Of a section or a toggle. */
  readonly inputs: readonly ConfigInput[];
}

interface Schema {
  readonly type?: unknown;
  readonly title?: string;
  readonly description?: string;
  readonly group?: string;
  readonly contentMediaType?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

/** The texts of inputs, by their paths. */
export type Texts = Readonly<Record<string, string>>;

/** The inputs of a config. */
export function inputsOf(configSchema: Readonly<Record<string, unknown>>): ConfigInput[] {
  return membersOf(configSchema as Schema, '', undefined);
}

function membersOf({ properties = {}, required = [] }: Schema, before: string, presets: unknown): ConfigInput[] {
  return Object.entries(properties).map(([name, property]) => {
    // `null` is the same as nothing given.
    const options = property.anyOf?.filter(({ type }) => type !== 'null') ?? [];
    const inner = options.find(({ properties }) => properties) ?? (options.length === 1 ? options[0] : undefined);
    const schema = { ...property, ...inner };
    const preset = property.default ?? memberOf(presets, name);
    const path = before + name;
    const kind = options.some(option => option.const === true) && inner ? 'toggle' : kindOf(schema);
    return {
      path,
      label: property.title ?? name,
      about: property.description,
      kind,
      choices: (schema.enum ?? []).map(String),
      isRequired: required.includes(name) && preset === undefined,
      preset: preset === undefined ? undefined : shown(preset, kind),
      group: property.group ?? '',
      inputs: kind === 'section' || kind === 'toggle' ? membersOf(schema, `${path}.`, preset) : [],
    };
  });
}

function kindOf({
  type,
  enum: choices,
  writeOnly,
  contentMediaType,
  items,
  properties,
  additionalProperties,
}: Schema): ConfigInput['kind'] {
  if (choices) return 'choice';
  if (contentMediaType) return 'long';
  if (type === 'string') return writeOnly ? 'secret' : 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'switch';
  if (type === 'array' && items?.type === 'integer') return 'list';
  if (properties) return 'section';
  return type === 'object' && typeof additionalProperties === 'object' ? 'pairs' : 'json';
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A value as its input shows it. */
function shown(value: unknown, kind: ConfigInput['kind']): string {
  if (kind === 'list' && Array.isArray(value)) return value.join(', ');
  if (kind === 'pairs' && isPairs(value))
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${text}`)
      .join('\n');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** Whether a value fits lines of names and values; any other is shown as JSON. */
function isPairs(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(
    ([name, text]) => typeof text === 'string' && !/[:\n]|^\s|^\{|\s$/.test(name) && !/\n|^\s|\s$/.test(text),
  );
}

/** The texts that inputs show of a config. */
export function textsOf(inputs: readonly ConfigInput[], config: unknown): Record<string, string> {
  return Object.assign(
    {},
    ...inputs.map(({ path, kind, inputs: inner }) => {
      const value = memberOf(config, path.slice(path.lastIndexOf('.') + 1));
      if (value == null) return {};
      if (kind === 'section') return textsOf(inner, value);
      if (kind === 'toggle') return { ...textsOf(inner, value), [path]: 'true' };
      return { [path]: shown(value, kind) };
    }),
  );
}

/** A text that cannot be read. */
class Unreadable extends Error {}

/** The config that the inputs say, and what of them cannot be read, by their paths. */
export function configOf(
  inputs: readonly ConfigInput[],
  texts: Texts,
): { readonly config: Record<string, unknown>; readonly broken: Texts } {
  const broken: Record<string, string> = {};
  const readInput = ({ path, kind, isRequired, inputs: inner }: ConfigInput): unknown => {
    const text = texts[path] ?? '';
    if (kind === 'section' || kind === 'toggle') {
      if (kind === 'toggle' && text !== 'true') return undefined;
      const members = objectOf(inner);
      const isEmpty = Object.keys(members).length === 0;
      if (kind === 'toggle') return isEmpty ? true : members;
      return isEmpty && !isRequired ? undefined : members;
    }
    try {
      return text.trim() === '' ? undefined : read(text, kind);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      broken[path] = error.message;
      return undefined;
    }
  };
  const objectOf = (members: readonly ConfigInput[]): Record<string, unknown> =>
    Object.fromEntries(
      members.flatMap(input => {
        const value = readInput(input);
        return value === undefined ? [] : [[input.path.slice(input.path.lastIndexOf('.') + 1), value]];
      }),
    );
  return { config: objectOf(inputs), broken };
}

function read(text: string, kind: ConfigInput['kind']): unknown {
  if (kind === 'number') return Number(text);
  if (kind === 'switch') return text === 'true';
  if (kind === 'list')
    return text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(Number);
  if (kind === 'json' || (kind === 'pairs' && text.trim().startsWith('{'))) return readJson(text);
  return kind === 'pairs' ? readPairs(text) : text;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable('must be JSON');
  }
}

function readPairs(text: string): Record<string, string> {
  const lines = text.split('\n').filter(line => line.trim() !== '');
  return Object.fromEntries(
    lines.map(line => {
      const [, name, value] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name === undefined || value === undefined)
        throw new Unreadable('must have a name and a value in each line, like user: tester');
      return [name, value];
    }),
  );
}
