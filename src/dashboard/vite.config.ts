import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { DASHBOARD_CHUNKS } from './chunks.ts';
import { licensesOfWorkers } from './licenses-of-workers.ts';
import { markdownPages } from './markdown.ts';

/** Smaller files are not worth a compressed copy. */
const SMALLEST_GZIPPED_BYTES = 1024;

/** Writes `x.js.gz` beside every `x.js`, so that the gateway need not compress. Not brotli: browsers accept it over TLS only. */
function writeGzippedTwins(): Plugin {
  const gzipAsync = promisify(gzip);
  return {
    name: 'write-gzipped-twins',
    apply: 'build',
    async writeBundle({ dir }, bundle) {
      if (dir === undefined) return;
      const packed = Object.keys(bundle).filter(name => /\.(js|css|ttf)$/.test(name));
      await Promise.all(
        packed.map(async name => {
          const path = join(dir, name);
          const bytes = await readFile(path);
          if (bytes.length >= SMALLEST_GZIPPED_BYTES)
            await writeFile(`${path}.gz`, await gzipAsync(bytes, { level: 9 }));
        }),
      );
    },
  };
}

const workerLicenses = licensesOfWorkers();

/** Builds the static pages that the gateway serves: `dist/pages/*.html` and hashed files in `dist/pages/assets`. */
export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  plugins: [react(), markdownPages(), writeGzippedTwins(), workerLicenses.pages],
  worker: { format: 'es', plugins: () => [workerLicenses.worker] },
  build: {
    outDir: '../../dist/pages',
    emptyOutDir: true,
    // The manifest names the imports of each file: a test sums up how much the first page loads.
    manifest: true,
    // The packages' licenses ask for their notices beside every copy.
    license: { fileName: 'licenses.md' },
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The playground's editor is one chunk of about 3 MB, loaded after the page shows.
    chunkSizeWarningLimit: 4096,
    rolldownOptions: {
      onwarn(warning, warn) {
        // GraphiQL's compiled files contain obsolete directives ("use no memo").
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
      output: { codeSplitting: { groups: DASHBOARD_CHUNKS } },
      input: {
        playground: join(import.meta.dirname, 'playground.html'),
        dashboard: join(import.meta.dirname, 'dashboard.html'),
        docs: join(import.meta.dirname, 'docs.html'),
      },
    },
  },
});
