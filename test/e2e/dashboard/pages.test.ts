import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Hono } from 'hono';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { servePages } from '../../../src/rest/pages.ts';
import { expectNoViolations } from '../../support/browser/accessible.ts';
import { lacksBrowser, launchBrowser } from '../../support/browser/chromium.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { startGateway } from './pages-gateway.ts';

const BUILD_TIMEOUT_MS = 120_000;
const BROWSER_TIMEOUT_MS = 60_000;
const BROWSER_HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

const isWithoutBrowser = lacksBrowser('pages.test.ts');

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'heliograph-pages-'));
  const vite = join(REPOSITORY, 'node_modules/vite/bin/vite.js');
  const config = join(REPOSITORY, 'src/dashboard/vite.config.ts');
  await promisify(execFile)(process.execPath, [vite, 'build', '--config', config, '--outDir', directory], {
    cwd: REPOSITORY,
    env: { ...process.env, NODE_ENV: 'production' },
  });
}, BUILD_TIMEOUT_MS);

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('the routes of the pages', () => {
  function appOn(folder: string): Hono {
    const app = new Hono();
    servePages(app, { playground: true, directory: folder });
    app.get('/graphql', c => c.text('the GraphQL server'));
    return app;
  }

  test('a browser on /graphql gets the playground', async () => {
    const response = await appOn(directory).request('/graphql', { headers: { accept: BROWSER_HTML } });
    expect(response.status).toBe(200);
    expect(response.headers.get('vary')).toBe('Accept');
    expect(await response.text()).toContain('<title>Heliograph playground</title>');
  });

  test.each([
    'application/json',
    'text/event-stream',
    'application/graphql-response+json, text/html;q=0.5',
    '*/*',
    undefined,
  ])('a client that accepts %s on /graphql gets the GraphQL server', async accept => {
    const response = await appOn(directory).request('/graphql', { headers: accept === undefined ? {} : { accept } });
    expect(await response.text()).toBe('the GraphQL server');
  });

  test('/ leads to /dashboard', async () => {
    const { status, headers } = await appOn(directory).request('/');
    expect([status, headers.get('location')]).toEqual([302, '/dashboard']);
  });

  test.each(['/dashboard', '/dashboard/', '/dashboard/logs', '/dashboard/webhooks/whe_1'])(
    '%s is a path of the dashboard',
    async path => {
      const response = await appOn(directory).request(path);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('<title>Heliograph</title>'),
      ]);
    },
  );

  test.each(['/dashboard', '/docs', '/graphql'])('%s may only run and load what the gateway serves', async path => {
    const { headers } = await appOn(directory).request(path, { headers: { accept: BROWSER_HTML } });
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe-eval|blob:|https?:|\*/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('hashed files are cached for good, with their type', async () => {
    const app = appOn(directory);
    for (const name of await readdir(join(directory, 'assets'))) {
      if (name.endsWith('.gz')) continue;
      const response = await app.request(`/assets/${name}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('content-type')).toMatch(/^(text\/javascript|text\/css|font\/ttf)/);
      await response.body?.cancel();
    }
  });

  test('a hashed file travels packed to a client that takes gzip', async () => {
    const name = (await readdir(join(directory, 'assets'))).find(file => /^docs-.*\.js$/.test(file));
    const response = await appOn(directory).request(`/assets/${name}`, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(response.headers.get('content-type')).toMatch(/^text\/javascript/);
    await response.body?.cancel();
  });

  test.each([
    '/assets/missing.js',
    '/assets/..%2fplayground.html',
    '/assets/%2e%2e/playground.html',
    '/assets/..%5cplayground.html',
    '/assets//etc/passwd',
    '/assets/',
  ])('%s is not found and not cached', async path => {
    const response = await appOn(directory).request(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('cache-control')).toBeNull();
  });

  test.each(['/docs', '/graphql'])('%s without a build names the command that mends it', async path => {
    const app = appOn(join(directory, 'missing'));
    const response = await app.request(path, { headers: { accept: BROWSER_HTML } });
    expect(response.status).toBe(503);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).toContain('npm run build');
  });
});

describe('the built files', () => {
  /** Addresses that a browser would fetch by itself, as opposed to names of formats and links to click. */
  const LOADS = [
    /<(?:script|img|iframe|source|embed|audio|video)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?\/\/[^"'\s>]+/gi,
    /<link\b[^>]*\bhref\s*=\s*["']?(?:https?:)?\/\/[^"'\s>]+/gi,
    /url\(\s*["']?(?:https?:)?\/\/[^)]+\)/gi,
    /@import\s+["'](?:https?:)?\/\/[^"']+/gi,
    /\b(?:import|importScripts|fetch|sendBeacon|Worker|WebSocket|EventSource)\(\s*["'`](?:https?|wss?):\/\/[^"'`]+/g,
    /\bfrom\s*["']https?:\/\/[^"']+/g,
  ];

  test('load nothing from another host', async () => {
    const found: string[] = [];
    for (const name of await readdir(directory, { recursive: true })) {
      if (!/\.(html|js|css)$/.test(name)) continue;
      const text = await readFile(join(directory, name), 'utf8');
      for (const pattern of LOADS)
        found.push(...(text.match(pattern) ?? []).map(hit => `${name}: ${hit.slice(0, 200)}`));
    }
    expect(found).toEqual([]);
  });
});

describe.skipIf(isWithoutBrowser)('the pages in a browser', { timeout: BROWSER_TIMEOUT_MS }, () => {
  let origin: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let foreignRequests: string[];
  const gateway = startGateway();

  beforeAll(async () => {
    origin = await gateway.start(directory);
    browser = await launchBrowser();
  }, BROWSER_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await gateway.stop();
  });

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    page = await context.newPage();
    complaints = [];
    foreignRequests = [];
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.on('pageerror', error => complaints.push(error.message));
    context.on('request', request => {
      const { origin: requested, protocol } = new URL(request.url());
      if (requested !== origin && protocol !== 'data:') foreignRequests.push(request.url());
    });
  });

  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  const asked = () => page.locator('.graphiql-query-editor .view-lines');
  const answered = () => page.locator('.result-window .view-lines');
  const headers = () =>
    page.getByRole('region', { name: 'Headers' }).locator('.graphiql-editor:not(.hidden) .view-lines');

  test('the playground opens with a ready sendMessage and runs it', async () => {
    await page.goto(`${origin}/graphql`);
    expect(await page.title()).toBe('Heliograph playground');
    await asked().getByText('mutation SendMessage').waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await answered().getByText('"msg_demo"').waitFor();
    await screenshot(page, 'playground');
  });

  test('the playground keeps its tabs over a reload', async () => {
    await page.goto(`${origin}/graphql`);
    const tabs = page.locator('.graphiql-tab-button');
    await asked().getByText('mutation SendMessage').waitFor();
    const names = await tabs.allInnerTexts();
    await page.getByRole('button', { name: 'LiveLog', exact: true }).click();
    await asked().getByText('subscription LiveLog').waitFor();
    await page.waitForFunction(() => sessionStorage.getItem('graphiql:tabState')?.includes('"activeTabIndex":4'));
    await page.reload();
    await asked().getByText('subscription LiveLog').waitFor();
    expect(await tabs.allInnerTexts()).toEqual(names);
    expect(names.length).toBeGreaterThan(5);
  });

  test('the playground keeps what is asked where only the headers were changed', async () => {
    await page.goto(`${origin}/graphql`);
    await runWith('hg_uni_alone');
    await page.reload();
    await asked().getByText('mutation SendMessage').waitFor();
  });

  test.each([
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('the playground is accessible at %d pixels in %s', async (width, colorScheme) => {
    await page.setViewportSize({ width, height: 844 });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${origin}/graphql`);
    await asked().getByText('mutation SendMessage').waitFor();
    await expectNoViolations(page);
  });

  /** Puts a text in place of the one of the editor that has the focus, which closes brackets by itself. */
  async function type(text: string): Promise<void> {
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
    await page.keyboard.press('ControlOrMeta+Shift+End');
    await page.keyboard.press('Delete');
  }

  /** Types headers into the playground, and runs what is in its editor with them. */
  async function runWith(token: string): Promise<void> {
    await asked().getByText('mutation SendMessage').waitFor();
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await headers().click();
    await type(JSON.stringify({ Authorization: `Bearer ${token}` }));
    await headers().getByText(token).waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await answered().getByText('"msg_demo"').waitFor();
    // The playground writes its tabs a moment later.
    await page.waitForFunction(text => sessionStorage.getItem('graphiql:tabState')?.includes(text), token);
  }

  /** All that a page may leave on the machine beyond its tab, as a text. */
  async function left(): Promise<string> {
    const stored = await page.evaluate(async () => {
      const databases = (await indexedDB.databases()).map(({ name }) => name);
      return JSON.stringify([Object.entries(localStorage), databases, await caches.keys(), document.cookie]);
    });
    return stored + JSON.stringify(await context.cookies());
  }

  const held = () => page.evaluate(() => JSON.stringify(sessionStorage) + document.documentElement.outerHTML);

  describe('a token that was typed into the playground', () => {
    const TOKEN = 'hg_uni_typed_into_the_playground';

    beforeEach(async () => {
      await page.goto(`${origin}/graphql`);
      await runWith(TOKEN);
    });

    test('is nowhere but in the tab', async () => {
      expect(gateway.seenAuthorizations()).toContain(`Bearer ${TOKEN}`);
      expect(await left()).toBe('[[],[],[],""][]');
    });

    test('is there after a reload', async () => {
      await page.reload();
      await asked().getByText('mutation SendMessage').waitFor();
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await headers().getByText(TOKEN).waitFor();
    });

    test('is not there in another tab', async () => {
      page = await context.newPage();
      await page.goto(`${origin}/graphql`);
      await asked().getByText('mutation SendMessage').waitFor();
      expect(await held()).not.toContain(TOKEN);
    });

    test('is forgotten by the button, and what was asked is not', async () => {
      await asked().getByText('sendMessage').first().click();
      await type('query Kept { message(messageId: "a") { messageId } }');
      await page.waitForFunction(() => sessionStorage.getItem('graphiql:tabState')?.includes('Kept'));
      await screenshot(page, 'playground-token');
      await page.getByRole('button', { name: 'Forget token' }).click();
      await asked().getByText('query Kept').waitFor();
      expect(await held()).not.toContain(TOKEN);
      expect(await left()).not.toContain(TOKEN);
    });

    test('is forgotten on the way back, too', async () => {
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Forget token' }).click();
      await page.waitForFunction(text => !JSON.stringify(sessionStorage).includes(text), TOKEN);
      await page.goBack();
      await asked().getByText('mutation SendMessage').waitFor();
      expect(await held()).not.toContain(TOKEN);
    });
  });

  describe('a token that was typed into the documentation', () => {
    const TOKEN = 'hg_uni_typed_into_the_documentation';

    beforeEach(async () => {
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Authorize', exact: true }).click();
      await page.getByRole('textbox', { name: 'auth-bearer-value' }).fill(TOKEN);
      await page.getByRole('button', { name: 'Apply credentials' }).click();
      await page.getByRole('button', { name: 'Close', exact: true }).click();
    });

    async function tryIt(): Promise<void> {
      await page.getByText('Send a message over any channel').click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.live-responses-table').getByText('msg_from_docs').first().waitFor();
    }

    test('is sent, and is nowhere but in the tab', async () => {
      await tryIt();
      expect(gateway.seenAuthorizations().at(-1)).toBe(`Bearer ${TOKEN}`);
      expect(await left()).toBe('[[],[],[],""][]');
      await screenshot(page, 'docs-token');
    });

    test('is there after a reload', async () => {
      await page.reload();
      await tryIt();
      expect(gateway.seenAuthorizations().at(-1)).toBe(`Bearer ${TOKEN}`);
    });

    test('is forgotten by the button', async () => {
      await page.getByRole('button', { name: 'Forget token' }).click();
      await page.waitForFunction(text => !JSON.stringify(sessionStorage).includes(text), TOKEN);
      await page.getByText('Send a message over any channel').waitFor();
      await tryIt();
      expect(gateway.seenAuthorizations().at(-1)).toBeNull();
      expect(await held()).not.toContain(TOKEN);
    });

    test('is forgotten where it is taken back', async () => {
      await page.getByRole('button', { name: 'Authorize', exact: true }).click();
      await page.getByRole('button', { name: 'Remove authorization' }).click();
      await page.waitForFunction(text => !JSON.stringify(sessionStorage).includes(text), TOKEN);
    });
  });

  test.each(['/graphql', '/docs'])('%s removes what earlier versions kept for good', async path => {
    await context.addInitScript(() => {
      localStorage.setItem('graphiql:headers', '{"Authorization":"Bearer old"}');
      localStorage.setItem('graphiql:tabState', '{}');
      localStorage.setItem('authorized', '{"bearer":{"value":"old"}}');
    });
    await page.goto(`${origin}${path}`);
    await page.getByRole('button', { name: 'Forget token' }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });

  test('the playground shows the events of a subscription, and stop ends it on the server', async () => {
    await context.addInitScript(() => {
      const tab = { id: 'feed', title: 'Feed', query: 'subscription Feed { logAdded { id } }', variables: null };
      const tabs = [{ ...tab, headers: null, operationName: 'Feed', response: null }];
      sessionStorage.setItem('graphiql:tabState', JSON.stringify({ activeTabIndex: 0, tabs }));
    });
    await page.goto(`${origin}/graphql`);
    await asked().getByText('subscription Feed').waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await answered().getByText('"log_second"').waitFor();
    await page.getByRole('button', { name: /Stop query/ }).click();
    await gateway.feedEnded;
    await page.getByRole('button', { name: /Execute query/ }).waitFor();
    expect(await answered().innerText()).not.toContain('errors');
  });

  test('the playground is dark where the system is', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${origin}/graphql`);
    await asked().getByText('mutation SendMessage').waitFor();
    await screenshot(page, 'playground-dark');
    const background = await page
      .locator('.graphiql-container')
      .evaluate(node => getComputedStyle(node).backgroundColor);
    const [red = 255] = (background.match(/\d+/g) ?? []).map(Number);
    expect(red).toBeLessThan(80);
  });

  test('the documentation shows each operation, ready to try', async () => {
    await page.goto(`${origin}/docs`);
    expect(await page.title()).toBe('Heliograph API');
    await page.getByText('Send a message over any channel').click();
    await page.getByRole('button', { name: 'Execute' }).waitFor();
    await screenshot(page, 'docs');
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('msg_from_docs').first().waitFor();
  });

  test('the documentation is dark where the system is', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${origin}/docs`);
    await page.getByText('Send a message over any channel').waitFor();
    await screenshot(page, 'docs-dark');
    expect(await page.locator('html').getAttribute('class')).toContain('dark-mode');
  });
});

/** Pictures for the eye, written only where a folder is named. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOT_DIR;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
