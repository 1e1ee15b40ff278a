import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROVIDERS } from '../../src/channels/registry.ts';
import { REPOSITORY } from '../support/repository.ts';

/** The files that run the suite of every provider. */
const RUNS = globSync('test/conformance/*.test.ts', { cwd: REPOSITORY })
  .map(file => readFileSync(join(REPOSITORY, file), 'utf8'))
  .filter(text => text.includes('describeProvider('));

test.each(PROVIDERS)('the provider $id has its own folder, and runs the suite of every provider', ({ id }) => {
  // The linter refuses an import that nothing uses.
  expect(RUNS.filter(text => text.includes(`/src/channels/${id}/provider.ts'`))).not.toEqual([]);
});
