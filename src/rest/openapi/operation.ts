/** An operation of the document: what a route takes, with its examples and the GraphQL that does the same. */
import { readFileSync } from 'node:fs';
import { upperRoute } from '../enum-case.ts';
import { parseJsonObject } from '../json-body.ts';
import type { Route } from '../mount.ts';
import { responsesOf } from './answers.ts';
import { type JsonObject, membersOf, reference } from './json-schema.ts';
import { securityOf } from './security.ts';

/** The operation of a route. Schemas with an id go to `schemas`. */
export function operationOf(route: Route, schemas: JsonObject): JsonObject {
  const { facts } = route;
  const parameters = [...queryOf(route), ...(facts.hasIdempotencyKey ? [IDEMPOTENCY_KEY] : [])];
  return {
    operationId: facts.id,
    tags: [facts.tag],
    summary: facts.summary,
    description: facts.description,
    security: securityOf(facts.area),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.method === 'GET' ? {} : { requestBody: requestBodyOf(route, schemas) }),
    responses: responsesOf(route, reference(facts.data, schemas, 'output'), schemas),
    'x-graphql': twinOf(route),
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'The same as `reference`; both given must be the same.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
};

function requestBodyOf(route: Route, schemas: JsonObject): JsonObject {
  const examples = route.facts.examples.map(({ name, summary, request }) => [name, { summary, value: request }]);
  const content = {
    schema: reference(route.facts.input, schemas, 'input'),
    ...(examples.length > 0 && { examples: Object.fromEntries(examples) }),
  };
  return { required: true, content: { 'application/json': content } };
}

/** The parameters of the query string, which a GET has. */
function queryOf({ method, facts }: Route): JsonObject[] {
  const members = method === 'GET' ? Object.entries(membersOf(facts.input)) : [];
  return members.map(([name, { description, ...schema }]) => ({ name, in: 'query', description, schema }));
}

/** The GraphQL operation that runs behind the path, with the variables of each example. */
function twinOf(route: Route): JsonObject {
  const text = readFileSync(new URL(`../operations/${route.operation}.graphql`, import.meta.url), 'utf8');
  const variables = route.facts.examples.map(({ name, request }) => {
    const raw = parseJsonObject(JSON.stringify(request), { int64: route.facts.int64 ?? false });
    const variables = route.variables(raw);
    return [name, 'input' in variables ? { input: upperRoute(variables.input as object) } : variables];
  });
  const plain = JSON.stringify(Object.fromEntries(variables), (_key, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  // The alias is for the facade, which reads every operation alike.
  return { query: text.replace('result: ', '').trim(), variables: JSON.parse(plain) };
}
