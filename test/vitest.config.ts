import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import { CountsReporter } from './support/runner/reporter.ts';
import { LongestFirst } from './support/runner/sequencer.ts';

// The conditions of Node itself. Vite's own list takes another build of graphql for our files than Node takes for its dependants. Two
// copies of graphql refuse each other's schemas.
const conditions = ['module-sync', 'node'];
const support = join(import.meta.dirname, 'support/runner');
const devMode = join(support, 'graphql-dev-mode.ts');
const database = {
  globalSetup: [join(support, 'global-setup.ts')],
  setupFiles: [devMode, join(support, 'each-file.ts')],
};

const root = join(import.meta.dirname, '..');
const tests = import.meta.dirname;

/** Whether a file of the tests asks which database they run on, or takes something from one that does. */
function touchesDatabase(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const code = readFileSync(file, 'utf8');
  const imported = [...code.matchAll(/ from '(\.[^']+\.ts)'/g)].map(([, path]) => resolve(dirname(file), path ?? ''));
  return code.includes('testDatabase') || imported.some(path => path.startsWith(tests) && touchesDatabase(path, seen));
}

/**
 * The files of a pattern; of `npm run test:long` those that repeat something, themselves or what they take `RUNS` from. Of `npm run test:pglite` those that
 * touch a database: the others have run on PostgreSQL, and would say the same again.
 */
function filesOf(pattern: string): string[] {
  if (process.env.TEST_DATABASE === 'pglite')
    return globSync(pattern, { cwd: root }).filter(file => touchesDatabase(join(root, file)));
  if (!process.env.TEST_ROUNDS) return [pattern];
  const repeats = /(runner\/(rounds|properties)|webhooks\/signed-deliveries)\.ts'/;
  return globSync(pattern, { cwd: root }).filter(file => repeats.test(readFileSync(join(root, file), 'utf8')));
}

interface ProjectSettings {
  globalSetup?: string[];
  setupFiles?: string[];
  isolate?: boolean;
  exclude?: string[];
}

function defineProject(name: string, settings: ProjectSettings, folder = name) {
  return { extends: true as const, test: { name, include: filesOf(`test/${folder}/**/*.test.ts`), ...settings } };
}

/** Tests that start processes. */
const processes = {
  globalSetup: [...database.globalSetup, join(support, 'embedded-template.ts')],
  setupFiles: [...database.setupFiles, join(support, 'end-processes.ts')],
};
const dashboard = 'e2e/dashboard';

export default defineConfig({
  root,
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [
      defineProject('unit', { setupFiles: [devMode], isolate: false }),
      defineProject('integration', { ...database, isolate: false }),
      defineProject('conformance', { ...database, isolate: false }),
      // To load the application anew for each file takes longer than many of them.
      defineProject('e2e', { ...processes, isolate: false, exclude: [`test/${dashboard}/**`] }),
      // A worker has one browser for all of them.
      defineProject('pages', { ...processes, isolate: false }, dashboard),
      defineProject('architecture', {}),
    ],
    // libsignal, of the peer of QR chats, says much of its keys.
    onConsoleLog: log => !/^(Closing (open )?|Removing old closed )session/.test(log),
    reporters: ['default', new CountsReporter()],
    pool: 'forks',
    // Each worker may hold a PGlite (up to 700 MB) or a server's worth of connections.
    maxWorkers: 2,
    sequence: { shuffle: true, sequencer: LongestFirst },
    testTimeout: 90_000,
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
    // Polled values come late on a busy machine; one second says nothing of the product.
    expect: { poll: { timeout: 20_000 } },
  },
});
