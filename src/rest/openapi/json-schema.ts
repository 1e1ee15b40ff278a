/** The zod schemas of requests and answers as JSON Schema 2020-12, which OpenAPI 3.1 is. */
import { z } from 'zod';

/** An object of the document. */
export type JsonObject = Record<string, unknown>;

/** Whether a schema describes what a caller sends or what the gateway answers. */
type Direction = 'input' | 'output';

/** Puts a schema with an id, and those inside it, among the components; answers the reference. */
export function reference(schema: z.ZodType, schemas: JsonObject, io: Direction): JsonObject {
  const { $defs = {}, ...rest } = toJsonSchema(schema, io) as { $defs?: JsonObject };
  Object.assign(schemas, $defs);
  const id = schema.meta()?.id;
  if (id === undefined) return rest;
  // A schema with an id stands among the definitions already, and its root is a reference to itself there.
  if (!(id in $defs)) schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

/** The members that an input takes, by name. */
export function membersOf(input: z.ZodType): Record<string, JsonObject> {
  return (toJsonSchema(input, 'input') as { properties?: Record<string, JsonObject> }).properties ?? {};
}

/**
 * A bigint, which JSON Schema has no word for, is an integer of 64 bits. A default is `x-default`: generators read `default` as
 * "always there" and then demand the member of the caller (openapi-typescript does).
 */
function toJsonSchema(schema: z.ZodType, io: Direction): JsonObject {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.$schema;
      delete jsonSchema.id;
      // Undocumented members are ignored, even where the operation behind refuses them.
      if (io === 'input' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (zodSchema._zod.def.type === 'bigint') Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
      // Bounds that hold for every integer of JSON say nothing.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      if (jsonSchema.default === undefined) return;
      jsonSchema['x-default'] = jsonSchema.default;
      delete jsonSchema.default;
    },
  });
  return JSON.parse(JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/'));
}
