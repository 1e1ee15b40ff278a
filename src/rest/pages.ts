import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context, Env, Hono } from 'hono';
import { accepts } from 'hono/accepts';
import { getMimeType } from 'hono/utils/mime';
import { formsOf } from './route-path.ts';

interface PagesOptions {
  /** Absolute path of the folder that `npm run build` writes: `playground.html`, `docs.html` and `assets/`. */
  readonly directory: string;
  /** Whether there is a playground. Without it, `/graphql` in a browser is a path at which there is nothing. */
  readonly playground: boolean;
}

/**
 * The content security policy of a page: run and load only what this gateway serves. `data:` is for icons and one font in style sheets.
 * @param styles the sources of its styles
 */
function policyWith(styles: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The dashboard's pages have paths of their own, which the script in it knows. */
const DASHBOARD = ['/dashboard', '/dashboard/', '/dashboard/:page{[^/].*}'];

const ASSET = '/assets/:file';

/** The paths at which there are pages and their files alone, in one form each. */
export const PAGES: readonly string[] = ['/', ...DASHBOARD, ASSET];

/** `no-cache`: a page names the hashed files of its build, so it is asked for anew after an upgrade. */
const PAGE_HEADERS = {
  'Cache-Control': 'no-cache',
  // The editor of the playground and the components of the dashboard set styles from scripts.
  'Content-Security-Policy': policyWith("'self' 'unsafe-inline'"),
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

/** The headers of a page whose styles are all in its files. */
const PLAIN_PAGE_HEADERS = { ...PAGE_HEADERS, 'Content-Security-Policy': policyWith("'self'") } as const;

const GRAPHQL_MEDIA_TYPES = [
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
];

const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Heliograph: pages not built</title>
    <style>body { font: 17px/1.5 system-ui, sans-serif; margin: 15vh auto; max-width: 36em; padding: 0 1em }</style>
  </head>
  <body>
    <h1>This page is not built yet</h1>
    <p>Run <code>npm run build</code> in the folder of the gateway, then load this page again. No restart is needed.</p>
    <p>The gateway itself runs: its APIs answer without the pages.</p>
  </body>
</html>
`;

/**
 * Registers the pages of the dashboard, `/docs`, `/graphql` for clients that prefer HTML, and their files. Call it before the GraphQL
 * server is registered. Without the build, pages answer 503 and name the command that mends it.
 */
export function servePages<E extends Env>(app: Hono<E>, options: PagesOptions): void {
  app.get('/', c => c.redirect('/dashboard'));
  for (const path of DASHBOARD) app.get(path, c => sendPage(c, options, 'dashboard.html'));
  for (const path of formsOf('/docs')) app.get(path, c => sendPage(c, options, 'docs.html', PLAIN_PAGE_HEADERS));
  app.on('GET', [...formsOf('/graphql')], async (c, next) => {
    if (!prefersHtml(c)) return await next();
    if (!options.playground) return await c.notFound();
    c.header('Vary', 'Accept');
    return await sendPage(c, options, 'playground.html');
  });
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  app.get(ASSET, async c => {
    c.header('X-Content-Type-Options', 'nosniff');
    const name = c.req.param('file');
    // The script of the playground holds the schema.
    if (!options.playground && name.startsWith('playground')) return await c.notFound();
    const encoding = /\bgzip\b/.test(c.req.header('Accept-Encoding') ?? '') ? '.gz' : '';
    const packed = encoding === '' ? null : await keepFile(files, options.directory, `${name}${encoding}`);
    const bytes = packed ?? (await keepFile(files, options.directory, name));
    if (!bytes) return await c.notFound();
    // The name of a file changes with its content; a missing one may still appear.
    c.header('Cache-Control', 'public, max-age=31536000, immutable');
    c.header('Content-Type', getMimeType(name) ?? 'application/octet-stream');
    c.header('Vary', 'Accept-Encoding');
    if (packed) c.header('Content-Encoding', 'gzip');
    return c.body(bytes);
  });
}

/** A file of the build, read once: who reads slowly holds nothing else. Null where there is none; the build may still come. */
async function keepFile(
  files: Map<string, Uint8Array<ArrayBuffer>>,
  directory: string,
  name: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!/^\w[\w.-]*$/.test(name)) return null;
  const known = files.get(name) ?? (await readBytes(join(directory, 'assets', name)));
  if (known) files.set(name, known);
  return known;
}

async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    return new Uint8Array(await readFile(path));
  } catch {
    return null;
  }
}

function prefersHtml(c: Context): boolean {
  const supports = ['text/html', ...GRAPHQL_MEDIA_TYPES];
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html';
}

async function sendPage(
  c: Context,
  { directory, playground }: PagesOptions,
  file: string,
  headers: Readonly<Record<keyof typeof PAGE_HEADERS, string>> = PAGE_HEADERS,
): Promise<Response> {
  const html = await readPage(join(directory, file));
  if (html === undefined) return c.html(NOT_BUILT_PAGE, 503, PAGE_HEADERS);
  // So that the pages do not lead to where there is nothing.
  return c.html(playground ? html : html.replace('<html', '<html data-playground="off"'), 200, headers);
}

/** A page is about a kilobyte; reading it per request lets a build done beside a running gateway show at once. */
async function readPage(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
