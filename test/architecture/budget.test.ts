import { describe, expect, it } from 'vitest';
import { findBudgetFaults, findCrowdedFolders } from '../support/rules/budget-rules.ts';
import { pathsIn, readSources } from '../support/rules/sources.ts';

it('every source file keeps to the rules of size and habit', () => {
  expect(findBudgetFaults(readSources())).toEqual([]);
});

it('no folder of sources, of tests or of their support has more than 15 files', () => {
  const tests = ['architecture', 'bench', 'conformance', 'e2e', 'integration', 'support', 'unit'];
  const files = ['src', ...tests.map(folder => `test/${folder}`)].flatMap(pathsIn);
  expect(findCrowdedFolders(files)).toEqual([]);
});

const LONG_STATEMENT = 'const x = `\nselect 1\nfrom a\nwhere b\nand c`;';

function faultsOf(path: string, text: string): string[] {
  return findBudgetFaults(new Map([[path, text]]));
}

const LONG = '\n'.repeat(301);
// Written in two parts, so that a search for unfinished work does not find this file.
const UNFINISHED = ['// TO', 'DO later'].join('');

describe('the check of habits notices', () => {
  it('a file of more than 300 lines', () => {
    expect(faultsOf('src/kernel/a.ts', LONG)).toEqual(['src/kernel/a.ts: 301 lines, at most 300']);
  });

  it.each([
    ['src/app.ts', 'const x = process.env.PORT;', 'process.env'],
    ['src/app.ts', `const x = process['env'];`, 'process.env'],
    ['src/app.ts', 'const { env } = process;', 'process.env'],
    ['src/app.ts', `import { env as e } from 'node:process';`, 'process.env'],
    ['src/app.ts', 'console.log(1);', 'console in server code'],
    ['src/app.ts', UNFINISHED, 'src/app.ts:1'],
    ['src/app.ts', LONG_STATEMENT, 'a statement of more than 3 lines'],
    ['src/app.ts', 'export const x = 1;', 'x is exported without'],
    ['src/app.ts', '/** About x. */\n\nexport const x = 1;', 'x is exported without'],
    ['src/app.ts', '// About x.\nexport const x = 1;', 'x is exported without'],
    ['src/app.ts', 'export async function x() {}', 'x is exported without'],
    ['src/app.ts', 'export abstract class X {}', 'X is exported without'],
    ['src/app.ts', 'export type X = 1;', 'X is exported without'],
    ['src/app.ts', 'export interface X {}', 'X is exported without'],
  ])('%s with %j', (path, text, fault) => {
    expect(faultsOf(path, text)).toEqual([expect.stringContaining(fault)]);
  });
});

it('the check of habits notices a folder of more than 15 files, and lets fifteen and the migrations be', () => {
  const filled = (folder: string, files: number) =>
    Array.from({ length: files }, (_, index) => `${folder}/${index}.graphql`);
  const paths = [...filled('src/a', 16), ...filled('src/a/b', 15), ...filled('src/db/migrations', 16)];
  expect(findCrowdedFolders(paths)).toEqual(['src/a: 16 files, at most 15']);
});

describe('the check of habits allows', () => {
  it('a file of 300 lines, and a migration or a generated module of any length', () => {
    expect(faultsOf('src/kernel/a.ts', LONG.slice(1))).toEqual([]);
    expect(faultsOf('src/client/operations.generated.ts', LONG)).toEqual([]);
    expect(faultsOf('src/db/migrations/migration-1.ts', LONG)).toEqual([]);
  });

  it.each([
    ['src/config.ts', 'const x = process.env;'],
    ['src/modules/a.sql.ts', LONG_STATEMENT],
    ['src/app.ts', LONG_STATEMENT.replace('and c', '').trim().replace('\n`', '`')],
    ['src/start.js', 'const x = process.env.PATH;\nconsole.error(x);'],
    ['src/cli/a.ts', 'console.log(1);'],
    ['src/app.ts', '// process.env and console.log\nconst x = "process.env";'],
    ['src/app.ts', '/** About x. */\nexport const x = 1;\nexport { y } from "./y.ts";'],
    [
      'src/app.ts',
      '/**\n * About x.\n */\nexport function x(): void;\nexport function x(a: 1): void;\nexport function x() {}',
    ],
  ])('%s with %j', (path, text) => {
    expect(faultsOf(path, text)).toEqual([]);
  });
});
