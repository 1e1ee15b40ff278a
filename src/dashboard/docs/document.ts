/** The OpenAPI document as the page reads it. */

/** A JSON Schema, as far as the document uses one. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly 'x-default'?: unknown;
}

/** An example of a body. */
export interface Example {
  readonly summary?: string;
  readonly value: unknown;
}

/** A parameter of the path, the query string or a header. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

/** A body by its media type. */
export type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> }>
>;

/** An answer. */
export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
  readonly 'x-codes'?: readonly string[];
}

/** An operation. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly 'x-graphql'?: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> };
}

type Methods = Readonly<Record<string, Operation>>;

/** The document. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly 'x-heliograph-version'?: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Methods>>;
  readonly webhooks: Readonly<Record<string, Methods>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, { readonly description: string; readonly example?: unknown }>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

/** An operation and where it is. */
export interface Placed extends Operation {
  readonly method: string;
  /** The path; of a webhook, the event. */
  readonly path: string;
}

/** A target of the search and of the list of parts. */
export interface PartLink {
  readonly id: string;
  readonly text: string;
  readonly about: string;
  /** More words for the search: the description of an operation, and the names of its fields. */
  readonly words?: string;
}

/** A part of the page and what can be reached in it. */
export interface Group {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly links: readonly PartLink[];
  readonly operations: readonly Placed[];
}

/** The operations of `paths` or of `webhooks`, in the order of the document. */
export function operationsOf(paths: Readonly<Record<string, Methods>>): readonly Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

/** The areas whose tokens open an operation: `unified`. */
export function areasOf({ security = [] }: Operation): readonly string[] {
  return security.flatMap(one => Object.keys(one)).map(name => name.replace(/Token$/, ''));
}

/** The body of an operation or an answer: its schema, and its examples by name. */
export function bodyOf(content: Content | undefined) {
  const [body] = Object.values(content ?? {});
  return { schema: body?.schema, examples: Object.entries(body?.examples ?? {}) };
}

/** The names of all that an operation takes and answers: `pin pinId`. */
export function wordsOf(api: OpenApi, operation: Operation): string {
  const contents = [
    operation.requestBody?.content,
    ...Object.values(operation.responses).map(({ content }) => content),
  ];
  const fields = contents.flatMap(content => {
    const { schema } = bodyOf(content);
    return schema ? fieldsOf(api, schema).map(({ name }) => name) : [];
  });
  return [...new Set([...fields, ...(operation.parameters ?? []).map(({ name }) => name)])].join(' ');
}

/** A row of a table of fields. */
export interface Field {
  /** The names of those around it and its own: `attempts[].channel`. */
  readonly key: string;
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
  /** Its limits and default: `4 to 10`, `default fallback`. */
  readonly limits: readonly string[];
}

/** The fields of a schema, those inside a field below it. */
export function fieldsOf(api: OpenApi, schema: Schema, depth = 0, prefix = ''): readonly Field[] {
  const { properties = {}, required = [] } = resolve(api, schema).schema;
  return Object.entries(properties).flatMap(([name, raw]) => {
    const { schema: found, isNullable } = resolve(api, raw);
    const item = found.items && resolve(api, found.items).schema;
    const type = item ? `array of ${wordOf(item)}` : wordOf(found);
    const key = `${prefix}${name}`;
    const field: Field = {
      key,
      name,
      depth,
      type: isNullable ? `${type} or null` : type,
      isRequired: required.includes(name),
      description: raw.description ?? found.description ?? '',
      limits: limitsOf({ ...found, ...raw }),
    };
    return [field, ...fieldsOf(api, item ?? found, depth + 1, item ? `${key}[].` : `${key}.`)];
  });
}

/** The schema behind its references, without null among its types. */
function resolve(api: OpenApi, schema: Schema): { readonly schema: Schema; readonly isNullable: boolean } {
  if (schema.$ref !== undefined) {
    const found = api.components.schemas[schema.$ref.replace(/^.*\//, '')];
    return found ? resolve(api, found) : { schema: {}, isNullable: false };
  }
  const choices = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  if (schema.anyOf && choices.length === 1 && choices[0])
    return { ...resolve(api, choices[0]), isNullable: schema.anyOf.length > 1 };
  const { type } = schema;
  if (typeof type !== 'object') return { schema, isNullable: false };
  const [only = 'any value'] = type.filter(one => one !== 'null');
  return { schema: { ...schema, type: only }, isNullable: type.includes('null') };
}

/** The type of a value in a word or two. */
export function wordOf({ type, format, enum: words, const: only }: Schema): string {
  if (only !== undefined) return JSON.stringify(only);
  if (words) return words.map(word => `"${word}"`).join(' | ');
  if (format === 'date-time') return 'time';
  return format === 'int64' ? 'integer (64 bits)' : String(type ?? 'any value');
}

/** The default and the limits of a value, in words. */
export function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const given = schema['x-default'];
  return [
    given === undefined ? '' : `default ${typeof given === 'string' ? `\`${given}\`` : JSON.stringify(given)}`,
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
  ].filter(text => text !== '');
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  if (min !== undefined && max !== undefined) return `${min} to ${max}${unit}`;
  if (max !== undefined) return `at most ${max}${unit}`;
  if (min === 1 && unit !== '') return 'not empty';
  return min === undefined || min === 0 ? '' : `at least ${min}${unit}`;
}
