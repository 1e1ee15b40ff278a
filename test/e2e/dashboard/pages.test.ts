import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { servePages } from '../../../src/rest/pages.ts';
import { routes } from '../../../src/rest/routes.ts';
import { COLOUR_RULES, expectAccessible, expectNoViolations } from '../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { leaveTab, takeTab } from '../../support/browser/tabs.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { startGateway } from './pages-gateway.ts';

const BROWSER_TIMEOUT_MS = 60_000;
const BROWSER_HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

/** Whether the documentation is looked at in the light and in the dark at each width, and not in one of them at each. */
const IS_LONG = rounds({ usual: 1, long: 2 }) > 1;

const isWithoutBrowser = lacksBrowser('pages.test.ts');

/** The output of `npm run build`, as a gateway serves it. */
const directory = join(REPOSITORY, 'dist/pages');

describe('the routes of the pages', () => {
  function appOn(folder: string, playground = true): Hono {
    const app = new Hono();
    servePages(app, { playground, directory: folder });
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

  test.each(['/dashboard', '/dashboard/logs', '/dashboard/webhooks/whe_1'])(
    '%s is a path of the dashboard',
    async path => {
      const response = await appOn(directory).request(path);
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('<title>Heliograph</title>'),
      ]);
    },
  );

  test.each(['/dashboard', '/dashboard/logs', '/docs'])('%s knows whether there is a playground', async path => {
    const told = async (playground: boolean) => {
      const html = await (await appOn(directory, playground).request(path)).text();
      return html.includes('<html data-playground="off" lang="en">');
    };
    expect([await told(true), await told(false)]).toEqual([false, true]);
  });

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

  test('the documentation needs no style but its file, and at most 92 kB of packed scripts', async () => {
    const response = await appOn(directory).request('/docs');
    expect(response.headers.get('content-security-policy')).toContain("style-src 'self';");
    const html = await response.text();
    const scripts = [...html.matchAll(/\/assets\/([\w.-]+\.js)/g)].map(([, name = '']) => name);
    expect(scripts.length).toBeGreaterThan(1);
    const sizes = scripts.map(name => gzipSync(readFileSync(join(directory, 'assets', name)), { level: 9 }).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(92_000);
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

/** The entry of a file in the manifest of a build. */
const manifestSchema = z.record(z.string(), z.object({ file: z.string(), imports: z.array(z.string()).default([]) }));

/** The most gzipped JavaScript that a first page may load. */
const FIRST_LOAD_MAX_BYTES = 250_000;

/** The most files that it may stand in: each is a request. */
const FIRST_LOAD_MAX_FILES = 30;

describe('the built files', () => {
  test.each(['overview', 'logs'])('the first load on the page %s is small, and without the playground', async page => {
    const manifest = manifestSchema.parse(JSON.parse(await readFile(join(directory, '.vite/manifest.json'), 'utf8')));
    const files = new Set<string>();
    const collect = (key: string): void => {
      const chunk = manifest[key];
      if (chunk === undefined) throw new Error(`the build has no ${key}`);
      if (files.has(chunk.file)) return;
      files.add(chunk.file);
      for (const imported of chunk.imports) collect(imported);
    };
    collect('dashboard.html');
    collect(`app/features/${page}/${page}.tsx`);
    const scripts = [...files].filter(file => file.endsWith('.js'));
    const sizes = scripts.map(file => gzipSync(readFileSync(join(directory, file)), { level: 9 }).length);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    process.stdout.write(
      `First load of the page ${page}: ${Math.round(bytes / 1_000)} kB of gzipped scripts in ${scripts.length} files (most: ${FIRST_LOAD_MAX_BYTES / 1_000} kB)\n`,
    );
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.length).toBeLessThanOrEqual(FIRST_LOAD_MAX_FILES);
    expect(bytes).toBeLessThanOrEqual(FIRST_LOAD_MAX_BYTES);
    expect(scripts.filter(file => /monaco|graphiql|[/]playground-/i.test(file))).toEqual([]);
  });

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
    browser = await openBrowser();
    context = await openWindow();
  }, BROWSER_TIMEOUT_MS);

  afterAll(async () => {
    await closeWindows();
    await gateway.stop();
  });

  beforeEach(async () => {
    complaints = [];
    foreignRequests = [];
    page = await takeTab(context);
  });

  afterEach(async () => {
    await leaveTab(page);
    expect(complaints).toEqual([]);
    expect(foreignRequests).toEqual([]);
  });

  async function openWindow(): Promise<BrowserContext> {
    const opened = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    opened.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    opened.on('weberror', error => complaints.push(error.error().message));
    opened.on('request', request => {
      const { origin: requested, protocol } = new URL(request.url());
      if (requested !== origin && protocol !== 'data:') foreignRequests.push(request.url());
    });
    return opened;
  }

  const asked = (on = page) => on.locator('.graphiql-query-editor .view-lines');
  const answered = () => page.locator('.result-window .view-lines');
  const headers = () =>
    page.getByRole('region', { name: 'Headers' }).locator('.graphiql-editor:not(.hidden) .view-lines');

  test('the playground opens with a ready sendMessage, runs it, and keeps its tabs over a reload', async () => {
    await page.goto(`${origin}/graphql`);
    expect(await page.title()).toBe('Heliograph playground');
    await asked().getByText('mutation SendMessage').waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await answered().getByText('"msg_demo"').waitFor();
    await screenshot(page, 'playground');
    const tabs = page.locator('.graphiql-tab-button');
    const names = await tabs.allInnerTexts();
    await page.getByRole('button', { name: 'LiveLog', exact: true }).click();
    await asked().getByText('subscription LiveLog').waitFor();
    await page.waitForFunction(() => sessionStorage.getItem('graphiql:tabState')?.includes('"activeTabIndex":4'));
    await page.reload();
    await asked().getByText('subscription LiveLog').waitFor();
    expect(await tabs.allInnerTexts()).toEqual(names);
    expect(names.length).toBeGreaterThan(5);
  });

  /** The playground breaks no rule in a scheme, and scrolls nowhere sideways. */
  async function expectPlain(colorScheme: 'light' | 'dark', width: number): Promise<void> {
    await expectNoViolations(page, colorScheme === 'dark' ? COLOUR_RULES : undefined);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  }

  test.each([
    [1440, 'dark', 'light'],
    [390, 'light', 'dark'],
  ] as const)(
    'at %d pixels the playground is %s where the system is, follows it when it becomes %s, and is accessible in both, scrolling nowhere sideways',
    async (width, first, second) => {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme: first });
      await page.goto(`${origin}/graphql`);
      await asked().getByText('mutation SendMessage').waitFor();
      await screenshot(page, `playground-${first}`);
      const red = async () => {
        const background = await page
          .locator('.graphiql-container')
          .evaluate(node => getComputedStyle(node).backgroundColor);
        return Number(/\d+/.exec(background)?.[0] ?? 255);
      };
      if (first === 'dark') expect(await red()).toBeLessThan(80);
      else expect(await red()).toBeGreaterThan(200);
      const dark = page.locator('.graphiql-query-editor .monaco-editor.vs-dark');
      expect((await dark.count()) > 0).toBe(first === 'dark');
      await expectPlain(first, width);
      await page.emulateMedia({ colorScheme: second });
      await dark.first().waitFor({ state: second === 'dark' ? 'visible' : 'detached' });
      await expectPlain(second, width);
      await page.emulateMedia({ colorScheme: first });
      await dark.first().waitFor({ state: first === 'dark' ? 'visible' : 'detached' });
    },
  );

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

  const held = (on = page) => on.evaluate(() => JSON.stringify(sessionStorage) + document.documentElement.outerHTML);

  describe('a token that was typed into the playground', () => {
    const TOKEN = 'hg_uni_typed_into_the_playground';

    beforeEach(async () => {
      await page.goto(`${origin}/graphql`);
      await runWith(TOKEN);
    });

    test('is nowhere but in the tab, with what is asked also after a reload, and is forgotten on the way back, too', async () => {
      expect(gateway.seenAuthorizations()).toContain(`Bearer ${TOKEN}`);
      expect(await left()).toBe('[[],[],[],""][]');
      const other = await context.newPage();
      await other.goto(`${origin}/graphql`);
      await asked(other).getByText('mutation SendMessage').waitFor();
      expect(await held(other)).not.toContain(TOKEN);
      await other.close();
      await page.reload();
      await asked().getByText('mutation SendMessage').waitFor();
      await page.getByRole('button', { name: 'Headers', exact: true }).click();
      await headers().getByText(TOKEN).waitFor();
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Forget token' }).click();
      await page.waitForFunction(text => !JSON.stringify(sessionStorage).includes(text), TOKEN);
      await page.goBack();
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
  });

  describe('a token that was typed into the documentation', () => {
    const TOKEN = 'hg_uni_typed_into_the_documentation';

    beforeEach(async () => {
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Give tokens' }).click();
      await page.getByLabel('Token of unified').fill(TOKEN);
      await page.getByRole('button', { name: 'Keep in this tab' }).click();
    });

    async function tryIt(): Promise<void> {
      await page.getByRole('button', { name: 'Try it: sendMessage' }).click();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('msg_from_docs').waitFor();
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
      await page.getByRole('button', { name: 'Give tokens' }).waitFor();
      await tryIt();
      expect(gateway.seenAuthorizations().at(-1)).toBeNull();
      expect(await held()).not.toContain(TOKEN);
    });

    test('is forgotten where it is taken back', async () => {
      await page.getByRole('button', { name: 'Change tokens' }).click();
      await page.getByLabel('Token of unified').fill('');
      await page.getByRole('button', { name: 'Keep in this tab' }).click();
      await page.waitForFunction(text => !JSON.stringify(sessionStorage).includes(text), TOKEN);
    });
  });

  test('the documentation makes another token for who is signed in where the one before has ended', async () => {
    const made = ['hg_uni_that_has_ended', 'hg_uni_made_after_it'];
    const [ended] = made;
    await page.route('**/graphql', async (route, request) => {
      const viewer = { rights: ['CHANGE'], account: { accountId: 'acc_demo' } };
      const isAsked = String(request.postDataJSON().query).includes('viewer');
      await route.fulfill({ json: { data: isAsked ? { viewer } : { createToken: { secret: made.shift() } } } });
    });
    const sent: (string | undefined)[] = [];
    await page.route('**/api/omni/send', async (route, request) => {
      const { authorization } = request.headers();
      sent.push(authorization);
      if (authorization !== `Bearer ${ended}`) return await route.fallback();
      await route.fulfill({ status: 401, json: { success: false } });
    });
    await page.goto(`${origin}/docs`);
    await page.getByRole('button', { name: 'Try it: sendMessage' }).click();
    await page.getByText('You are signed in').first().waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('401', { exact: true }).last().waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('msg_from_docs').waitFor();
    expect(sent).toEqual(['Bearer hg_uni_that_has_ended', 'Bearer hg_uni_made_after_it']);
    // The browser itself says of the refusal that it came.
    complaints = complaints.filter(complaint => !complaint.includes('401'));
  });

  test.each(['/graphql', '/docs'])('%s removes what earlier versions kept for good', async path => {
    page = await (await openWindow()).newPage();
    await page.addInitScript(() => {
      localStorage.setItem('graphiql:headers', '{"Authorization":"Bearer old"}');
      localStorage.setItem('graphiql:tabState', '{}');
      localStorage.setItem('authorized', '{"bearer":{"value":"old"}}');
    });
    await page.goto(`${origin}${path}`);
    await page.getByRole('button', { name: 'Forget token' }).waitFor();
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  });

  test('the playground shows the events of a subscription, and stop ends it on the server', async () => {
    page = await (await openWindow()).newPage();
    await page.addInitScript(() => {
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

  describe('the documentation', () => {
    test('shows what each operation takes, answers and fails with', async () => {
      await page.goto(`${origin}/docs`);
      expect(await page.title()).toBe('Heliograph API');
      for (const { facts, method, path } of routes) {
        const part = page.locator(`#${facts.id}`);
        await part.getByText(`${method}${path}`).waitFor();
        for (const name of facts.input instanceof z.ZodObject ? Object.keys(facts.input.shape) : [])
          await part.getByRole('rowheader', { name }).first().waitFor();
      }
      const codes = await page.locator('#sendMessage .codes').allInnerTexts();
      expect(codes.join(' ')).toContain('sender_not_approved');
      expect(codes.join(' ')).not.toContain('otp_incorrect');
      await screenshot(page, 'docs');
    });

    test('opens at the operation, the event or the code that the address names', async () => {
      for (const id of ['sendOtp', 'onOtpFailed', 'otp_blocked']) {
        await page.goto(`${origin}/docs#${id}`);
        await page.reload();
        await page.locator(`#${id}`).waitFor();
        await page.waitForFunction(wanted => {
          const top = document.getElementById(wanted)?.getBoundingClientRect().top ?? -1;
          return top >= 0 && top < innerHeight / 2;
        }, id);
      }
    });

    test('writes a request in four languages, for the example that is chosen', async () => {
      await page.goto(`${origin}/docs`);
      const part = page.locator('#sendMessage');
      await part.getByRole('combobox').selectOption('By chat and by SMS at once');
      const shown = {
        curl: `curl -s ${origin}/api/omni/send`,
        TypeScript: `await fetch('${origin}/api/omni/send'`,
        Python: `"${origin}/api/omni/send"`,
        GraphQL: 'sendMessage(input: $input)',
      };
      for (const [language, text] of Object.entries(shown)) {
        await part.getByRole('tab', { name: language }).click();
        const sample = await part.getByRole('tabpanel').innerText();
        expect(sample).toContain(text);
        expect(sample).toContain(language === 'GraphQL' ? '"ALL"' : '"all"');
      }
    });

    test('shows the status, the time, the headers and the body of what was tried', async () => {
      await page.goto(`${origin}/docs`);
      const part = page.locator('#sendMessage');
      await part.getByRole('button', { name: 'Try it: sendMessage' }).click();
      await part.getByRole('button', { name: 'Send', exact: true }).click();
      await part.getByText(/^200 \w* ?in \d+ ms$/).waitFor();
      await part.locator('.shown').getByText('Headers').click();
      await part.locator('.shown').getByText('content-type: application/json').waitFor();
    });

    test('is searched from the keyboard', async () => {
      // An address that no part has.
      await page.goto(`${origin}/docs#%`);
      await page.getByRole('button', { name: 'Give tokens' }).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('undefined');
      await page.getByText('Nothing has these words.').waitFor();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('otp verified');
      await page.getByRole('option', { name: 'otp.verified' }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => location.hash === '#onOtpVerified');
    });

    test('refuses a token of another area before it is sent', async () => {
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Give tokens' }).click();
      await page.getByLabel('Token of unified').fill('hg_sms_of_another_area');
      await page.getByText('This is a token of the area sms.').waitFor();
    });

    test('is dark where the system is, and light where the reader says so, also after a reload', async () => {
      const red = async () =>
        Number(/\d+/.exec(await page.locator('body').evaluate(body => getComputedStyle(body).backgroundColor))?.[0]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Switch to light' }).waitFor();
      expect(await red()).toBeLessThan(80);
      await page.getByRole('button', { name: 'Switch to light' }).click();
      expect(await red()).toBeGreaterThan(200);
      await page.reload();
      await page.getByRole('button', { name: 'Switch to dark' }).waitFor();
      expect(await red()).toBeGreaterThan(200);
    });

    describe.each([
      [1440, 'light'],
      [390, 'dark'],
    ] as const)('at %i pixels', (width, colorScheme) => {
      // This page holds all operations: to load it and to check it takes many times as long as at another one.
      test('is accessible after Give tokens, after Search, and with all of an operation open, and scrolls nowhere sideways', {
        timeout: 300_000,
      }, async () => {
        const looksWell = async (part?: string) =>
          IS_LONG ? await expectAccessible(page, part) : await expectNoViolations(page, undefined, part);
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.goto(`${origin}/docs`);
        const dialog = page.locator('dialog[open]');
        for (const name of ['Give tokens', 'Search']) {
          await page.getByRole('button', { name }).click();
          await dialog.waitFor();
          await looksWell('dialog[open]');
          await page.keyboard.press('Escape');
          await dialog.waitFor({ state: 'detached' });
        }
        const part = page.locator('#sendMessage');
        await part.getByRole('button', { name: 'Try it: sendMessage' }).click();
        await part.getByRole('button', { name: 'Send', exact: true }).click();
        await page.getByText('msg_from_docs').waitFor();
        await part.locator('details').evaluateAll(all => {
          for (const details of all) details.setAttribute('open', '');
        });
        await looksWell();
        expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
      });
    });

    test('has its parts behind a button on a phone', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(`${origin}/docs`);
      await page.getByRole('button', { name: 'Parts' }).click();
      await expectAccessible(page, 'dialog[open]');
      await page.getByRole('dialog').getByRole('link', { name: 'Verify a passcode', exact: true }).click();
      await page.waitForFunction(
        () => location.hash === '#verifyOtp' && document.querySelector('dialog[open]') === null,
      );
    });
  });
});

/** Pictures for the eye, written only where a folder is named. */
async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOT_DIR;
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
