import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../support/repository.ts';

const RULE = 'test/support/rules/wall-clock.grit';

let folder: string;

/** A folder with the rule and the setting that says where it holds. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'heliograph-lint-'));
  for (const file of [RULE, 'biome.json']) write(file, readFileSync(join(REPOSITORY, file), 'utf8'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** Whether the linter refuses a file for its use of the machine's clock. */
function isRefused(file: string, text: string): boolean {
  write(file, text);
  const biome = join(REPOSITORY, 'node_modules/.bin/biome');
  const { status, stdout, stderr } = spawnSync(biome, ['lint', file], { cwd: folder, encoding: 'utf8' });
  rmSync(join(folder, file));
  if (!/Checked 1 file/.test(stdout + stderr)) throw new Error(stdout + stderr);
  return status !== 0 && stderr.includes("The machine's clock can step.");
}

test.each([
  'export const at = Date.now();\n',
  'export const at = globalThis.Date.now();\n',
  'export const isOver = (endsMs: number): boolean => Date.now() > endsMs;\n',
  'export const clock: () => number = Date.now;\n',
  'export const at = new Date();\n',
  'export const ageMs = (since: Date): number => +new Date() - +since;\n',
  'export class Cache {\n  readonly #madeAt = new Date();\n  age = (now: Date): number => +now - +this.#madeAt;\n}\n',
])('the linter refuses %j in a file of the server', text => {
  expect(isRefused('src/modules/probe.ts', text)).toBe(true);
});

test.each([
  'export const at = performance.now();\n',
  'export const at = new Date(0);\n',
  '// biome-ignore lint/plugin: A reason.\nexport const at = Date.now();\n',
])('the linter takes %j', text => {
  expect(isRefused('src/modules/probe.ts', text)).toBe(false);
});

test('the linter takes the clock of a browser in the pages', () => {
  expect(isRefused('src/dashboard/app/probe.ts', 'export const at = Date.now();\n')).toBe(false);
});
