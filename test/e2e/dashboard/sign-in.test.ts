import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../src/dashboard/app/api/ask.ts';
import { SignOutDocument } from '../../../src/dashboard/app/api/operations.generated.ts';
import { expectAccessible } from '../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../support/browser/tabs.ts';
import { type DemoGateway, operatorTokenOf, startDemoGateway } from '../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('sign-in.test.ts'))('signing in', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), openBrowser()]);
    context = await browser.newContext({ baseURL: `${gateway.url}/dashboard/` });
  });
  afterAll(closeWindows);

  beforeEach(async () => {
    page = await takeTab(context);
  });
  afterEach(async () => {
    await leaveTab(page);
    await context.clearCookies();
  });

  const pages = (on: Page = page) => on.getByRole('navigation', { name: 'Pages' });
  const password = () => page.getByRole('textbox', { name: 'Password' });
  const enter = () => page.getByRole('button', { name: 'Sign in', exact: true }).click();

  async function signIn(): Promise<void> {
    await page.getByLabel('Email').fill(gateway.demo.dashboard.email);
    await password().fill(gateway.demo.dashboard.password);
    await enter();
  }

  async function signOut(): Promise<void> {
    await page.getByRole('button', { name: 'demo' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  }

  /** From now on no sign-out of the page reaches the gateway. */
  async function failSignOuts(): Promise<void> {
    await page.route('**/graphql', async (route, request) => {
      if (request.postDataJSON().documentId === documentIdOf(SignOutDocument)) await route.abort();
      else await route.fallback();
    });
  }

  test('leads to the page that was asked for', async () => {
    await page.goto('logs?status=FAILED');
    await signIn();
    await pages().waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/dashboard/logs?status=FAILED');
  });

  test('what stood behind # is there again after it, and no server is told of it', async () => {
    const told: string[] = [];
    page.on('request', request => told.push(request.url().split('#', 1).join()));
    await page.goto('send#to=%2B12025550142&text=For+one+only');
    await password().waitFor();
    await page.reload();
    await signIn();
    await expect.poll(() => page.getByRole('textbox', { name: 'To', exact: true }).inputValue()).toContain('0142');
    expect(told.filter(url => /0142|one.only/.test(url))).toEqual([]);
  });

  test('never leads to another site', async () => {
    await page.goto('sign-in#next=//example.com/');
    await signIn();
    await pages().waitFor();
    expect(page.url().startsWith(`${gateway.url}/dashboard`)).toBe(true);
  });

  test('a wrong password is refused, and says nothing of which of both is wrong', async () => {
    await page.goto('');
    await page.getByLabel('Email').fill('nobody@heliograph.example');
    await password().fill('not the password');
    await enter();
    expect(await page.getByRole('alert').innerText()).toBe('The e-mail address or the password is wrong.');
  });

  test('the page is accessible', async () => {
    await page.goto('');
    await password().waitFor();
    await expectAccessible(page);
  });

  test('the cookie is out of reach of scripts', async () => {
    await page.goto('');
    await signIn();
    await pages().waitFor();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  });

  test('signing out ends the session, in other tabs too', async () => {
    await page.goto('logs');
    await signIn();
    await pages().waitFor();
    const other = await context.newPage();
    await other.goto('logs');
    await pages(other).waitFor();
    await signOut();
    await password().waitFor();
    // Its live line ends with the session.
    await other.getByRole('textbox', { name: 'Password' }).waitFor();
    await other.close();
  });

  test('signing out that fails says so, and is tried again', async () => {
    await failSignOuts();
    await page.goto('errors');
    await signIn();
    await signOut();
    const note = page.getByRole('alert');
    await note.getByText('You are still signed in. The gateway does not answer.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await note.getByRole('button', { name: 'Try again' }).click();
    await password().waitFor();
  });

  const leaves = [
    ['closed', () => page.getByRole('button', { name: 'Close' }).click()],
    ['left with its page', () => pages().getByRole('link', { name: 'Tokens' }).click()],
  ] as const;
  test.each(leaves)('a note that signing out failed is %s', async (_how, leave) => {
    await failSignOuts();
    await page.goto('errors');
    await signIn();
    await signOut();
    const note = page.getByRole('alert');
    await note.waitFor();
    await leave();
    await note.waitFor({ state: 'detached' });
  });

  const ways = [
    {
      way: 'the menu',
      go: signOut,
    },
    {
      way: 'the page Account, everywhere',
      async go(): Promise<void> {
        await page.getByRole('link', { name: 'Account', exact: true }).click();
        await page.getByRole('button', { name: 'Sign out everywhere' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
      },
    },
  ];
  const kept = () => page.evaluate(() => JSON.stringify(sessionStorage));
  const TOKEN = 'hg_uni_of_nobody_else';

  /** Gives a token to the documentation and to a tab of the playground. */
  async function giveTokens(): Promise<void> {
    await page.goto('/docs');
    await page.getByRole('button', { name: 'Give tokens' }).click();
    await page.getByLabel('Token of unified').fill(TOKEN);
    await page.getByRole('button', { name: 'Keep in this tab' }).click();
    await expect.poll(kept).toContain(TOKEN);
    await page.evaluate(headers => {
      const tabs = [{ id: 'kept', title: 'Kept', query: 'query Kept { viewer { kind } }', variables: null, headers }];
      sessionStorage.setItem('graphiql:tabState', JSON.stringify({ activeTabIndex: 0, tabs }));
    }, `{"Authorization":"Bearer ${TOKEN}"}`);
  }

  async function writeDraft(): Promise<void> {
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('For nobody else');
    await expect.poll(kept).toContain('For nobody else');
  }

  test.each(ways)('signing out by $way leaves no draft and no token', async ({ go }) => {
    await page.goto('send');
    await signIn();
    await writeDraft();
    await giveTokens();
    await page.goto('send');
    await go();
    await password().waitFor();
    await expect.poll(kept).not.toContain('For nobody else');
    expect(await kept()).not.toContain(TOKEN);
    expect(await kept()).toContain('query Kept');
  });

  test('signing in where a session ended leaves no token, and the own draft', async () => {
    await page.goto('send');
    await signIn();
    await writeDraft();
    await giveTokens();
    await context.clearCookies();
    await page.goto('send');
    await signIn();
    await pages().waitFor();
    expect(await kept()).not.toContain(TOKEN);
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await expect.poll(() => text.inputValue()).toBe('For nobody else');
  });

  test('the operator signs in by the token and chooses an account', async () => {
    await page.goto('logs');
    await page.getByRole('button', { name: 'Sign in as the operator' }).click();
    await page.getByRole('textbox', { name: 'Operator token' }).fill(await operatorTokenOf(gateway));
    await enter();
    await page.getByRole('row', { name: /demo/ }).click();
    await page.getByRole('heading', { name: 'Logs' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Logs' }).waitFor();
    await page.getByRole('button', { name: /demo/ }).click();
    await page.getByRole('menuitem', { name: 'Another account' }).click();
    await page.getByRole('heading', { name: 'Choose an account' }).waitFor();
  });

  test('the playground asks as who is signed in', async () => {
    const inside = await signedIn(browser, gateway, () => undefined);
    const playground = await inside.newPage();
    await playground.goto('/graphql');
    await playground.getByText('Signed in as demo@heliograph.example (demo)').waitFor();
    await playground.locator('.graphiql-query-editor .view-lines').getByText('mutation SendMessage').waitFor();
    await playground.getByRole('button', { name: 'Credits', exact: true }).click();
    await playground.locator('.graphiql-query-editor .view-lines').getByText('query Credits').waitFor();
    // GraphiQL reads what is asked a moment later.
    await playground.waitForFunction(() => sessionStorage.getItem('graphiql:tabState')?.includes('"activeTabIndex":7'));
    await playground.getByRole('button', { name: /Execute query/ }).click();
    await playground.locator('.result-window .view-lines').getByText('"spentToday"').waitFor();
    await inside.close();
  });

  test('leads to no playground where it is off, nor does the documentation, nor the last line of the start', async () => {
    const closed = await startDemoGateway({ env: { PLAYGROUND: 'off' } });
    const inside = await signedIn(browser, closed, () => undefined);
    const dashboard = await inside.newPage();
    await dashboard.goto('');
    await pages(dashboard).getByRole('link', { name: 'REST API' }).waitFor();
    expect(await pages(dashboard).getByRole('link', { name: 'Playground' }).count()).toBe(0);
    await dashboard.goto('/docs');
    await dashboard.getByRole('link', { name: 'openapi.json', exact: true }).first().waitFor();
    expect(await dashboard.getByRole('link', { name: 'GraphQL playground' }).count()).toBe(0);
    await inside.close();
    const { url } = closed;
    expect(closed.stderr()).toContain(`listens on ${url} – dashboard ${url}/dashboard, API ${url}/docs\n`);
    const all = `dashboard ${gateway.url}/dashboard, playground ${gateway.url}/graphql, API ${gateway.url}/docs\n`;
    expect(gateway.stderr()).toContain(`listens on ${gateway.url} – ${all}`);
  });
});
