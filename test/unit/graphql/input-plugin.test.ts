import SchemaBuilder from '@pothos/core';
import { execute, type GraphQLSchema, parse, subscribe } from 'graphql';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { inputPlugin } from '../../../src/graphql/plugins/input-plugin.ts';

let checks = 0;

/** Counts how often it is asked. */
const schema = z.object({
  of: z.int().refine(of => {
    checks += 1;
    return of > 0;
  }, 'must be above 0'),
});

async function* twice() {
  yield 1;
  yield 2;
}

function makeSchema(): GraphQLSchema {
  const builder = new SchemaBuilder({ plugins: [inputPlugin] });
  const policy = { opens: 'any' } as const;
  builder.queryType({
    fields: t => ({
      now: t.int({ policy, args: { of: t.arg.int() }, validate: { schema }, resolve: () => 1 }),
    }),
  });
  builder.subscriptionType({
    fields: t => ({
      counted: t.int({
        policy,
        args: { of: t.arg.int() },
        validate: { schema },
        subscribe: twice,
        resolve: (event: number) => event,
      }),
    }),
  });
  return builder.toSchema();
}

beforeEach(() => {
  checks = 0;
});

test('the arguments of a subscription are checked when it begins, and not again with each event', async () => {
  const results = await subscribe({ schema: makeSchema(), document: parse('subscription { counted(of: 1) }') });
  expect(checks).toBe(1);
  const told = [];
  for await (const { data } of results as AsyncGenerator<{ data: unknown }>) told.push(data);
  expect(told).toEqual([{ counted: 1 }, { counted: 2 }]);
  expect(checks).toBe(1);
});

test('a subscription whose arguments misfit does not begin', async () => {
  const result = await subscribe({ schema: makeSchema(), document: parse('subscription { counted(of: 0) }') });
  expect(result).toMatchObject({ errors: [{ message: expect.stringContaining('must be above 0') }] });
});

test('the arguments of a query are checked before it resolves', async () => {
  const result = await execute({ schema: makeSchema(), document: parse('{ now(of: 0) }') });
  expect(result).toMatchObject({ errors: [{ message: expect.stringContaining('must be above 0') }] });
});
