import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { leaveTab, takeTab, turnTab } from '../../support/browser/tabs.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import { type DemoGateway, send, startDemoGateway, startGateway } from '../../support/processes/gateway.ts';

/** More than the connections that a browser holds to a host. */
const TABS = 7;

describe.skipIf(lacksBrowser('broken-line.test.ts'))('while the gateway is away', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    const env = { PORT: String(await freePort()) };
    [gateway, browser] = await Promise.all([startDemoGateway({ env }), openBrowser()]);
    // The browser itself writes an error for each request that finds no gateway.
    context = await signedIn(browser, gateway, () => undefined);
  });
  afterAll(async () => {
    await closeWindows();
  });

  const entries = (page: Page) => page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  const sendOne = () => send(gateway, gateway.demo.tokens.unified);

  /** Ends the gateway, and answers how it comes back where it was. */
  async function endGateway(): Promise<() => Promise<void>> {
    gateway.kill('SIGTERM');
    await gateway.exited;
    return async () => {
      const { dataDir, demo, env, url } = gateway;
      const again = await startGateway({
        dataDir,
        ...(env.DATABASE_URL && { databaseUrl: env.DATABASE_URL }),
        env: { PORT: new URL(url).port },
      });
      gateway = { ...again, demo, env };
    };
  }

  /** Opens the live log, which shows what there is. */
  async function openLog(): Promise<{ page: Page; shows: (more: number) => Promise<void> }> {
    const page = await takeTab(context);
    await page.goto('logs?live=1');
    await entries(page).first().waitFor();
    const before = await entries(page).count();
    return { page, shows: more => expect.poll(() => entries(page).count()).toBe(before + more) };
  }

  test('the log misses what happens, and shows it when the line is back', async () => {
    await sendOne();
    const { page, shows } = await openLog();
    await sendOne();
    await shows(1);
    const bringBack = await endGateway();
    await page.getByText('Reconnecting …').waitFor();
    await bringBack();
    await sendOne();
    await shows(2);
    await page.getByText('Reconnecting …').waitFor({ state: 'hidden' });
    await sendOne();
    await shows(3);
    await leaveTab(page);
  });

  test('the log says how many entries were left out, until it is asked again', async () => {
    await sendOne();
    const { page } = await openLog();
    // As the gateway tells it of a reader who is too slow.
    await page.route('**/graphql', async route => {
      if (route.request().headers().accept !== 'text/event-stream') return route.continue();
      const entry = {
        __typename: 'LogEntry',
        id: 'att_told',
        type: 'MESSAGE_ATTEMPT',
        createdAt: new Date().toISOString(),
        channel: 'SMS',
        status: 'SENT',
        recipient: '12025550100',
        sender: 'DEMO',
      };
      const result = JSON.stringify({ data: { logAdded: entry }, extensions: { dropped: 12 } });
      const held = `:\n\nevent: next\ndata: ${result}\n\n`;
      await route.fulfill({ contentType: 'text/event-stream', body: held });
      return undefined;
    });
    await page.goto('logs?live=1&view=attempts');
    const sentence = page.getByText(/^\d+ entries were left out, as they came too fast\./);
    await sentence.waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByText('Reconnecting …').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Ask again' }).click();
    await sentence.waitFor({ state: 'hidden' });
    await leaveTab(page);
  });

  test('a page whose code did not come leaves the navigation, and comes when the gateway is back', async () => {
    const page = await takeTab(context);
    await page.goto('./');
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.waitFor();
    const bringBack = await endGateway();
    // No other test loads the code of this page, so that the browser has kept none of it.
    await pages.getByRole('link', { name: 'Limits', exact: true }).click();
    await page.getByText('or it was upgraded since').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Check that it runs').waitFor();
    await pages.getByRole('link', { name: 'Overview', exact: true }).waitFor();
    await bringBack();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Limits', level: 1 }).waitFor();
    await leaveTab(page);
  });

  test('without a network a press says so, and what was cancelled then is not done when the network is back', async () => {
    const page = await takeTab(context);
    await page.goto('tokens');
    const revoke = page.getByRole('table', { name: 'Tokens' }).getByRole('button', { name: /^Revoke/ });
    await revoke.first().waitFor();
    const before = await revoke.count();
    await revoke.first().click();
    await context.setOffline(true);
    onTestFinished(() => context.setOffline(false));
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Revoke token' }).click();
    await dialog.getByText('The gateway does not answer. Check that it runs and that you are online.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await context.setOffline(false);
    await page.reload();
    await revoke.first().waitFor();
    expect(await revoke.count()).toBe(before);
    await leaveTab(page);
  });

  test('a hidden tab holds no connection, and shows what happened once it is seen again', async () => {
    await sendOne();
    const tabs = [];
    for (let count = 0; count < TABS; count += 1) {
      const tab = await openLog();
      await turnTab(tab.page, 'hidden');
      tabs.push(tab);
    }
    await sendOne();
    const [first] = tabs;
    if (!first) throw new Error('there is no tab');
    await turnTab(first.page, 'visible');
    await first.shows(1);
    for (const { page } of tabs) await leaveTab(page);
  });
});
