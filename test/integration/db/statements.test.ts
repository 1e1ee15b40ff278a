import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlTypeOf } from '../../../src/db/statements/sql-types.ts';
import { statements } from '../../../src/db/statements/statement.ts';
import { type Describer, openDescriber } from '../../support/databases/describe-statement.ts';
import { createTestServices, type TestServices } from '../../support/services.ts';
// With it comes every file of the gateway.
import '../../../src/app.ts';
import { REPOSITORY } from '../../support/repository.ts';

const src = join(REPOSITORY, 'src');

/** The names in the files, those of several tables with `${table}` in them, as patterns. */
function definedNames(): RegExp[] {
  const texts = globSync('**/*.ts', { cwd: src }).map(path => readFileSync(join(src, path), 'utf8'));
  return texts.flatMap(text =>
    [...text.matchAll(/\bstatement\(\s*(['`])(.+?)\1/g)].map(
      ([, , name = '']) => new RegExp(`^${name.replaceAll(/\$\{.+?\}/g, '.+')}$`),
    ),
  );
}

let t: TestServices;
let describer: Describer;
let types: ReadonlyMap<number, string>;

beforeAll(async () => {
  // With the tables of the queue.
  t = await createTestServices();
  describer = await openDescriber(t.testDatabase);
  const rows = await describer.rows<{ oid: number; name: string }>(
    'select oid::int8::int4 as oid, format_type(oid, null) as name from pg_type where oid < 100000',
  );
  types = new Map(rows.map(({ oid, name }) => [oid, name]));
});
afterAll(async () => {
  await describer.end();
  await t.close();
});

/** Types as the database calls them, where a declaration is shorter. */
const LONG_NAMES: Readonly<Record<string, string>> = {
  int: 'integer',
  float8: 'double precision',
  varchar: 'character varying',
  timestamptz: 'timestamp with time zone',
};

function longName(declared: string): string {
  const [, type = '', array = ''] = /^(.*?)(\[\])?$/.exec(declared) ?? [];
  return `${LONG_NAMES[type] ?? type}${array}`;
}

test('every statement in the files is known by its name', () => {
  const names = [...statements.keys()];
  expect(names.length).toBeGreaterThan(20);
  expect(definedNames().filter(pattern => !names.some(name => pattern.test(name)))).toEqual([]);
});

describe('what the database says is what is declared', () => {
  test.each([...statements])('of the statement "%s"', async (_name, { text, parameters, columns }) => {
    const described = await describer.describe(text);
    expect({
      parameters: described.parameters.map(oid => types.get(oid)),
      columns: Object.fromEntries(described.columns.map(({ name, type }) => [name, types.get(type)])),
    }).toEqual({
      parameters: parameters.map(longName),
      columns: Object.fromEntries(
        Object.entries(columns).map(([name, declared]) => [name, longName(sqlTypeOf(declared))]),
      ),
    });
    expect(described.columns).toHaveLength(Object.keys(columns).length);
  });
});
