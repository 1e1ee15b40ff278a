import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { CountsReporter } from './support/reporter.ts';

// What Node itself goes by. Vite's own list takes another build of graphql for our files than Node takes for its dependants,
// and two copies of graphql refuse each other's schemas.
const conditions = ['module-sync', 'node'];
const support = join(import.meta.dirname, 'support');
const devMode = join(support, 'graphql-dev-mode.ts');
const database = {
  globalSetup: [join(support, 'global-setup.ts')],
  setupFiles: [devMode, join(support, 'failures.ts')],
};

function defineProject(name: string, settings: { globalSetup?: string[]; setupFiles?: string[] }) {
  return { extends: true as const, test: { name, include: [`test/${name}/**/*.test.ts`], ...settings } };
}

export default defineConfig({
  root: join(import.meta.dirname, '..'),
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    projects: [
      defineProject('unit', { setupFiles: [devMode] }),
      defineProject('integration', database),
      defineProject('conformance', database),
      defineProject('e2e', {
        ...database,
        globalSetup: [...database.globalSetup, join(support, 'embedded-template.ts')],
      }),
      defineProject('architecture', {}),
    ],
    reporters: ['default', new CountsReporter()],
    pool: 'forks',
    // Each worker may hold a PGlite (up to 700 MB) or a server's worth of connections.
    maxWorkers: 2,
    sequence: { shuffle: true },
    testTimeout: 90_000,
    hookTimeout: 90_000,
    teardownTimeout: 30_000,
  },
});
