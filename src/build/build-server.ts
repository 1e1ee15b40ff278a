/** `npm run build`, the server's part: what makes a start fast. Without it the server runs from its sources. */
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { TEMPLATE_FILE } from '../db/embedded/embedded-template.ts';
import { makeBuilt } from '../kernel/process/built.js';
import { makeTemplate } from './make-template.ts';
import { youngClosures } from './young-closures.ts';

/** Packages that stay out of the build. PGlite finds its files beside its own; pg-native is asked for and not there. */
export const UNBUNDLED: readonly string[] = ['@electric-sql/pglite', 'pg-native'];

const SOURCES = fileURLToPath(new URL('..', import.meta.url));

/** Files that a source reads stand beside the source. */
function keepPlaces(folder: string): Plugin {
  return {
    name: 'keep-places',
    transform(code, id) {
      if (!id.startsWith(SOURCES) || !code.includes('import.meta.url')) return null;
      const place = JSON.stringify(relative(folder, id).replaceAll(sep, '/'));
      return { code: code.replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`), map: null };
    },
  };
}

/** Writes names in notices of licenses in ASCII, which `charset` leaves. Node keeps two bytes for each character of such a file. */
const asciiNotices: Plugin = {
  name: 'ascii-notices',
  generateBundle(_options, bundle) {
    for (const file of Object.values(bundle)) if (file.type === 'chunk') file.code = inAscii(file.code);
  },
};

function inAscii(code: string): string {
  return code.replaceAll(/[^\p{ASCII}]/gu, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** Puts the sources and most packages together: Node takes a millisecond for each of 2,000 modules, and a tenth for their text. */
async function bundle(folder: string): Promise<void> {
  // Vite starts threads when it is imported.
  const { build, Visitor } = await import('vite');
  await build({
    configFile: false,
    root: SOURCES,
    logLevel: 'warn',
    plugins: [keepPlaces(folder), youngClosures(Visitor), asciiNotices],
    ssr: { noExternal: true, external: [...UNBUNDLED] },
    build: {
      ssr: true,
      emptyOutDir: true,
      outDir: folder,
      target: 'node24',
      minify: false,
      // The packages' licenses ask for their notices beside every copy.
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: {
          main: `${SOURCES}main.ts`,
          cli: `${SOURCES}cli/main.ts`,
          'chat-qr-driver': `${SOURCES}channels/chat-qr/driver/main.ts`,
        },
        // Classes are known by their names: migrations and entities.
        output: {
          keepNames: true,
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // V8 keeps the text of a source, with two bytes for each character where not all are ASCII.
          charset: 'ascii',
          comments: { legal: true, annotation: false, jsdoc: false },
        },
      },
    },
  });
}

if (import.meta.main) {
  await makeBuilt(async folder => {
    await bundle(folder);
    await makeTemplate(join(folder, TEMPLATE_FILE));
  });
}
