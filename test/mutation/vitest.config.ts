import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';
import { changed } from './changed.ts';

/** The tests as they are, but that a source may be another one, which no cache of what is on the disk may hide. */
export default mergeConfig(base, {
  plugins: [{ name: 'mutant', enforce: 'pre', load: (id: string) => changed.get(id) }],
  test: { fsModuleCache: false },
});
