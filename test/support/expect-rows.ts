/** Tables of tests that must have a row for each of something. */
import { relative, sep } from 'node:path';
import { expect } from 'vitest';
import { REPOSITORY } from './repository.ts';

/** Expects that a table names each of `all`, and nothing else. A missing name is told with the file to edit: `file`, or that of the test. */
export function expectRows(table: string, rows: Iterable<string>, all: Iterable<string>, file = fileOfTest()): void {
  const [has, must] = [new Set(rows), new Set(all)];
  const faults = [
    ...[...must].filter(name => !has.has(name)).map(name => `${name} has no row: add it to ${table} in ${file}`),
    ...[...has]
      .filter(name => !must.has(name))
      .map(name => `${name} is there no more: take its row out of ${table} in ${file}`),
  ];
  expect(faults.sort(), faults.join('\n')).toEqual([]);
}

function fileOfTest(): string {
  return relative(REPOSITORY, expect.getState().testPath ?? '').replaceAll(sep, '/');
}
