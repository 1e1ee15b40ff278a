import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { bare } from '../../../../src/rest/envelope.ts';
import { styleOf } from '../../../../src/rest/http.ts';
import { mount } from '../../../../src/rest/mount.ts';
import { openApiDocument } from '../../../../src/rest/openapi/document.ts';

const DATA = z.strictObject({ name: z.string(), tag: z.string().nullable() });

/** Sample routes with a parameter: all that has to be written for them. */
const FACTS = {
  tag: 'Plants',
  summary: 'A plant',
  description: 'Of a sample.',
  area: 'any',
  data: DATA,
  errors: [],
  examples: [],
} as const;
const changed = mount('create-plant').at('POST', '/gardens/:garden/plants/:id', {
  ...FACTS,
  id: 'changePlant',
  failureStyle: 'plant',
  input: z.strictObject({ garden: z.string(), id: z.coerce.bigint(), name: z.string() }),
  variables: ({ id, garden, name }) => ({ input: { id, name, tag: garden } }),
  answer: plant => bare(plant),
});
const read = mount('logs').at('GET', '/gardens/:garden/logs', {
  ...FACTS,
  id: 'readGarden',
  input: z.strictObject({ garden: z.string(), limit: z.string().optional() }),
  variables: ({ garden }) => ({ after: garden }),
  answer: () => bare({}),
});

test('the parameters of a path are members of the input', () => {
  const raw = { name: 'Rose', garden: 'north', id: '7' };
  expect(changed.variables(raw)).toEqual({ input: { id: 7n, name: 'Rose', tag: 'north' } });
});

test.each([
  ['/gardens/north/plants/7', 'plant'],
  ['/gardens/north/plants/7/', 'plant'],
  ['/gardens/north/plants/', 'problem'],
  ['/gardens/north/plants/7/8', 'problem'],
  ['/gardens/north/logs', 'problem'],
  ['/graphql', 'graphql'],
])('the failures of %s have the style %s', (path, style) => {
  expect(styleOf([changed, read], path)).toBe(style);
});

test('OpenAPI shows them as parameters of the path, and the rest as body or query', async () => {
  const document = openApiDocument([changed, read], '0.0.0');
  expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
  expect(document.paths).toMatchObject({
    '/gardens/{garden}/plants/{id}': {
      post: {
        operationId: 'changePlant',
        parameters: [
          { name: 'garden', in: 'path', required: true },
          { name: 'id', in: 'path', required: true },
        ],
        requestBody: { content: { 'application/json': { schema: { required: ['name'] } } } },
      },
    },
    '/gardens/{garden}/logs': {
      get: {
        parameters: [
          { name: 'garden', in: 'path', required: true },
          { name: 'limit', in: 'query' },
        ],
      },
    },
  });
});
