import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible, expectNoViolations } from '../../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { describePostgres } from '../../../support/databases/database.ts';
import { CLIENT, type OidcPeer, startOidcPeer } from '../../../support/people/oidc-peer.ts';
import { type Gateway, startDemoGateway, startGateway } from '../../../support/processes/gateway.ts';

const inBrowser = lacksBrowser('oidc.test.ts') ? describe.skip : describePostgres;

inBrowser('signing in by the OIDC provider', () => {
  let peer: OidcPeer;
  let gateway: Gateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    const [demo, provider, launched] = await Promise.all([startDemoGateway(), startOidcPeer(), openBrowser()]);
    [peer, browser] = [provider, launched];
    // Another process on the same database, which has the account.
    gateway = await startGateway({
      databaseUrl: demo.env.DATABASE_URL ?? '',
      env: {
        OIDC_ISSUER: peer.issuer,
        OIDC_CLIENT_ID: CLIENT.id,
        OIDC_CLIENT_SECRET: CLIENT.secret,
        OIDC_NAME: 'Keyhouse',
        OIDC_ROLES: 'admins=owner',
        OIDC_ACCOUNT: demo.demo.accountId,
      },
    });
    context = await browser.newContext({ baseURL: `${gateway.url}/dashboard/` });
  });
  afterAll(async () => {
    await closeWindows();
    await peer?.close();
  });

  beforeEach(async () => {
    const sub = crypto.randomUUID();
    peer.claims = { sub, email: `${sub}@people.example`, roles: ['admins'] };
    page = await takeTab(context);
  });
  afterEach(async () => {
    await leaveTab(page);
    await context.clearCookies();
  });

  const enter = () => page.getByRole('button', { name: 'Sign in with Keyhouse' }).click();

  /** Axe finds nothing, and nothing is wider than a phone. */
  async function looksWell(): Promise<void> {
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  test('leads to the page that was asked for, by a session as any other', async () => {
    await page.goto('logs?status=FAILED');
    await page.getByRole('button', { name: 'Sign in with Keyhouse' }).waitFor();
    await looksWell();
    await enter();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    expect(page.url()).toBe(`${gateway.url}/dashboard/logs?status=FAILED`);
    await page.goto('account');
    const own = page.getByRole('table', { name: 'People' }).getByRole('row', { name: String(peer.claims.email) });
    await own.getByText('by the provider').waitFor();
    await looksWell();
    // Nothing that asks for a password is offered to who has none.
    expect(await page.getByRole('button', { name: 'Change password' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Second factor' }).count()).toBe(0);
    await page.goto('account?act=password');
    await own.waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, or paste an id').fill('change');
    await page.getByRole('dialog').getByRole('button', { name: 'Change region' }).waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).count()).toBe(0);
  });

  test('can be chosen again where the browser shows the page as it was left', async () => {
    await page.route(`${peer.issuer}/**`, route => route.abort());
    await page.goto('');
    await enter();
    const spinning = page.locator('button[data-loading]');
    await spinning.waitFor();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await spinning.waitFor({ state: 'detached' });
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('is refused in a sentence to who has no role here', async () => {
    peer.claims = { ...peer.claims, roles: ['guests'] };
    await page.goto('');
    await enter();
    await page.getByText('The provider (Keyhouse) gives you no role here. Ask who manages it.').waitFor();
    await looksWell();
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByRole('button', { name: 'Sign in with Keyhouse' }).waitFor();
  });
});
