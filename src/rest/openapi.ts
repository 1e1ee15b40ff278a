/** The OpenAPI 3.1 document of the facade, generated from the mount table and the zod schemas that check its requests. */
import { z } from 'zod';
import { ERRORS } from '../kernel/errors.ts';
import type { Route } from './mount.ts';
import { documentedPath, parametersOf } from './route-path.ts';
import { plantError, problem } from './schemas.ts';

/** Failures that every route can answer. */
const COMMON_FAILURES = [400, 401, 405, 413, 415, 429, 500, 503];

type JsonObject = Record<string, unknown>;

/** The version of the documented interface (contract §2). */
const INTERFACE_VERSION = '1.0.0';

/** The document. `version` is the gateway's. */
export function openApiDocument(routes: readonly Route[], version: string): JsonObject {
  const schemas: JsonObject = {};
  const paths: Record<string, JsonObject> = {};
  for (const route of routes) {
    const path = documentedPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Heliograph',
      version: INTERFACE_VERSION,
      'x-heliograph-version': version,
      summary: 'Messages and passcodes over chat and SMS, and the log of every attempt',
      description:
        'The REST facade. Every path runs a GraphQL operation of the same schema; `/graphql` has the playground.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the area that the path names.' },
      },
      schemas,
    },
  };
}

function operation(route: Route, schemas: JsonObject): JsonObject {
  const { facts } = route;
  const data = reference(facts.data, schemas, 'output');
  const parameters = [...parametersIn(route), ...(facts.hasIdempotencyKey ? [IDEMPOTENCY_KEY] : [])];
  const envelope = {
    type: 'object',
    properties: { success: { const: true }, message: { type: 'string' }, data },
    required: ['success', 'message', 'data'],
  };
  return {
    operationId: `${route.operation}-${route.path.replaceAll(':', '').split('/').filter(Boolean).join('-')}`,
    tags: [facts.area === 'any' ? 'sample' : facts.area],
    summary: facts.summary,
    description: facts.description,
    ...(route.method === 'GET' ? {} : { requestBody: { required: true, content: json(bodyOf(route, schemas)) } }),
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: {
      200: { description: 'Done', content: json(facts.isBare ? data : envelope) },
      ...failures(route, schemas),
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same as `reference`; both given must be the same.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function failures({ facts }: Route, schemas: JsonObject): JsonObject {
  const isPlant = facts.failureStyle === 'plant';
  const schema = reference(isPlant ? plantError : problem, schemas, 'output');
  const content = { [isPlant ? 'application/json' : 'application/problem+json']: { schema } };
  const statuses = [...COMMON_FAILURES, ...(facts.area === 'any' ? [] : [403]), ...facts.failures];
  return Object.fromEntries(
    [...new Set(statuses)].sort().map(status => [status, { description: describe(status), content }]),
  );
}

function describe(status: number): string {
  const codes = Object.entries(ERRORS).filter(([, row]) => row.status === status);
  return codes.map(([code, row]) => `\`${code}\`: ${row.title}`).join('; ') || 'Failure';
}

function json(schema: unknown): JsonObject {
  return { 'application/json': { schema } };
}

/** The parameters of the path, and of the query string of a GET, which are members of one input. */
function parametersIn({ method, path, facts }: Route): JsonObject[] {
  const inPath = new Set(parametersOf(path));
  const { properties = {} } = toJsonSchema(facts.input, 'input') as { properties?: Record<string, JsonObject> };
  return Object.entries(properties)
    .filter(([name]) => inPath.has(name) || method === 'GET')
    .map(([name, { description, ...schema }]) => ({
      name,
      ...(inPath.has(name) ? { in: 'path', required: true } : { in: 'query' }),
      description,
      schema,
    }));
}

/** What the body holds: the input, but for what stands in the path. */
function bodyOf({ path, facts: { input } }: Route, schemas: JsonObject): JsonObject {
  const inPath = parametersOf(path);
  if (inPath.length === 0 || !(input instanceof z.ZodObject)) return reference(input, schemas, 'input');
  const shape = Object.entries(input.shape).filter(([name]) => !inPath.includes(name));
  return reference(z.object(Object.fromEntries(shape)), schemas, 'input');
}

/** Puts a schema with an id, and those inside it, among the components; answers the reference. */
function reference(schema: z.ZodType, schemas: JsonObject, io: 'input' | 'output'): JsonObject {
  const { $defs = {}, ...rest } = toJsonSchema(schema, io) as { $defs?: JsonObject };
  Object.assign(schemas, $defs);
  const id = schema.meta()?.id;
  if (id === undefined) return rest;
  // A schema with an id stands among the definitions already, and its root is a reference to itself there.
  if (!(id in $defs)) schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

/** JSON Schema 2020-12, which OpenAPI 3.1 is. A bigint, which JSON Schema has no word for, is an integer of 64 bits. */
function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      delete jsonSchema.$schema;
      delete jsonSchema.id;
      // What is not documented is ignored, whatever the operation behind takes.
      if (io === 'input' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (zodSchema._zod.def.type === 'bigint') Object.assign(jsonSchema, { type: 'integer', format: 'int64' });
    },
  });
  return JSON.parse(JSON.stringify(made).replaceAll('#/$defs/', '#/components/schemas/'));
}
