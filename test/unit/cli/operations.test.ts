import { parse, validate } from 'graphql';
import { expect, it } from 'vitest';
import { OPERATIONS } from '../../../src/cli/operations/operations.generated.ts';
import { buildSchema } from '../../../src/graphql/schema.ts';

it.each(Object.entries(OPERATIONS))('the operation of %s fits the schema', (_name, { document }) => {
  expect(validate(buildSchema(), parse(document))).toEqual([]);
});
