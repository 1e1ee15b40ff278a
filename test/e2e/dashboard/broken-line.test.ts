import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lacksBrowser, launchBrowser } from '../../support/browser/chromium.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { type Demo, type Gateway, send, startGateway } from '../../support/processes/gateway.ts';

/** More than the connections that a browser holds to a host. */
const TABS = 7;

describe.skipIf(lacksBrowser('broken-line.test.ts'))('what is followed live', () => {
  let gateway: Gateway;
  let demo: Demo;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startGateway(), launchBrowser()]);
    if (!gateway.demo) throw new Error('the first start made no demo.json');
    demo = gateway.demo;
    // The browser says of each request in vain that it was: no fault of the page.
    context = await signedIn(browser, { url: gateway.url, demo }, () => undefined);
  });
  afterAll(async () => {
    await browser?.close();
  });

  const entries = (page: Page) => page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  const sendOne = () => send(gateway, demo.tokens.unified);

  /** Opens the live log, which shows what there is. */
  async function openLog(): Promise<{ page: Page; shows: (more: number) => Promise<void> }> {
    const page = await context.newPage();
    await page.goto('logs?live=1');
    await entries(page).first().waitFor();
    const before = await entries(page).count();
    return { page, shows: more => expect.poll(() => entries(page).count()).toBe(before + more) };
  }

  /** Lets a page believe that its tab was left, or come back to. */
  async function turn(page: Page, state: 'hidden' | 'visible'): Promise<void> {
    await page.evaluate(shown => {
      Object.defineProperty(document, 'visibilityState', { get: () => shown, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  }

  test('shows what happened while its line was broken', async () => {
    await sendOne();
    const { page, shows } = await openLog();
    await sendOne();
    await shows(1);
    gateway.kill('SIGTERM');
    await gateway.exited;
    await page.getByText('Live: reconnecting …').waitFor();
    gateway = await startGateway({ dataDir: gateway.dataDir, env: { PORT: new URL(gateway.url).port } });
    await sendOne();
    await shows(2);
    await page.getByText('Live', { exact: true }).waitFor();
    await sendOne();
    await shows(3);
    await page.close();
  });

  test('holds no connection while its tab is hidden, and shows then what happened meanwhile', async () => {
    await sendOne();
    const tabs = [];
    for (let count = 0; count < TABS; count += 1) {
      const tab = await openLog();
      await turn(tab.page, 'hidden');
      tabs.push(tab);
    }
    await sendOne();
    const [first] = tabs;
    if (!first) throw new Error('there is no tab');
    await turn(first.page, 'visible');
    await first.shows(1);
    for (const { page } of tabs) await page.close();
  });
});
