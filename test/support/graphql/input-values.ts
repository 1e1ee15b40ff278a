/** Values for the zod schemas of inputs: most pass, some stand at an edge, a few are refused. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { REPOSITORY } from '../repository.ts';

/** Every schema that a module exports as an input, by its name and file. */
export async function inputSchemas(): Promise<(readonly [name: string, schema: z.ZodType])[]> {
  const files = globSync('src/{db,modules}/**/*.ts', { cwd: REPOSITORY }).sort();
  const found = await Promise.all(
    files.map(async file => {
      const exported: Record<string, unknown> = await import(join(REPOSITORY, file));
      return Object.entries(exported).flatMap(([name, value]) =>
        name.endsWith('Input') && value instanceof z.ZodType ? [[`${name} of ${file}`, value] as const] : [],
      );
    }),
  );
  return found.flat();
}

/** Texts that one rule or another takes, in ways that are read as another text, too. */
const TEXTS: readonly string[] = [
  ...['+12025550100', ' +1 (202) 555-0100', '12025550100', '123456', '0'],
  ...['ACME', ' Acme Ltd. ', 'Größe', '😀', 'en_US', 'order-1', ' ', ''],
  ...['a.b@example.com', ' A.B@EXAMPLE.com ', 'correct horse battery staple', 'İstanbul', '?code=a&state=b'],
  ...['https://8.8.8.8/hooks', ' https://Example.com:443/a b?ü=1', 'http://[::1]/\\x', 'example.com', 'BÜCHER.example'],
  ...['FA+9qCX9VSu', '203.0.113.7', '2001:DB8::1', '{{code}} is your code.', '{{ code }}', 'eur', 'USD'],
  ...['us', 'DE', '*', 'none', 'token.revoked', 'sandbox', 'smpp', 'a\u0000', 'x'.repeat(64), 'x'.repeat(2_048)],
];

const NUMBERS: readonly number[] = [0, 1, 2, 4, 5, 6, 10, 30, 60, 100, 120, 200, 300, 599, 1_000, 3_600, 86_400, 1e6];

const DATES: readonly Date[] = [-62_135_596_800_001, -1, 0, 1_764_000_000_000, 253_402_300_800_000, 8.64e15].map(
  ms => new Date(ms),
);

const BIGINTS: readonly bigint[] = [0n, -1n, 7n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n];

/** Nine in ten of those that the rule takes, else any. */
function mostly<Value>(rule: z.core.$ZodType, known: readonly Value[], any: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  const fit = known.filter(value => z.safeParse(rule, value).success);
  if (fit.length === 0) return fc.oneof(fc.constantFrom(...known), any);
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...fit) },
    { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...known), any) },
  );
}

/** Values for a schema. `rule`: what stands around it, and has its say. */
export function valuesOf(schema: z.core.$ZodType, rule = schema): fc.Arbitrary<unknown> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return membersOf(def.shape);
    case 'array':
      return fc.array(valuesOf(def.element), { maxLength: 3 });
    case 'optional':
      return fc.option(valuesOf(def.innerType), { nil: undefined });
    case 'nullable':
      return fc.option(valuesOf(def.innerType), { nil: null });
    case 'pipe':
      return valuesOf(def.in, rule);
    case 'string':
      return mostly(rule, TEXTS, fc.string({ unit: 'binary' }));
    case 'number':
      return mostly(rule, NUMBERS, fc.integer());
    case 'bigint':
      return mostly(rule, BIGINTS, fc.bigInt());
    case 'date':
      return mostly(rule, DATES, fc.date());
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries));
    case 'record':
      return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
  }
  throw new Error(`there are no values for a zod ${def.type} yet`);
}

function membersOf(shape: z.core.$ZodShape): fc.Arbitrary<unknown> {
  const required = Object.keys(shape).filter(name => !z.safeParse(shape[name] as z.core.$ZodType, undefined).success);
  return fc.record(Object.fromEntries(Object.entries(shape).map(([name, member]) => [name, valuesOf(member)])), {
    requiredKeys: required,
  });
}
