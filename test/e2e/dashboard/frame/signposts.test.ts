import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toUuid } from '../../../../src/kernel/ids.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { invite, signedInAs, signedInAsOperator } from '../../../support/browser/people.ts';
import { signedIn } from '../../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { type HttpGateway, openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { runSql } from '../../../support/databases/postgres.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/processes/accounts.ts';
import { ask, type DemoGateway, send, startDemoGateway } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('signposts.test.ts'))('what tells people where they are', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let carrier: HttpGateway;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [gateway, browser, carrier] = await Promise.all([startDemoGateway(), openBrowser(), openHttpGateway()]);
    context = await signedIn(browser, gateway, () => undefined);
  });
  afterAll(async () => {
    await closeWindows();
    await carrier?.close();
  });

  beforeEach(async () => {
    page = await takeTab(context);
  });
  afterEach(() => leaveTab(page));

  describe('an invitation', () => {
    const accept = () => page.getByRole('button', { name: 'Accept invitation' });

    let stranger: BrowserContext;

    beforeEach(async () => {
      stranger = await browser.newContext({ baseURL: `${gateway.url}/dashboard/` });
      page = await stranger.newPage();
    });
    afterEach(() => stranger.close());

    test('names who invites whom, to which account and as what', async () => {
      const { email, link } = await invite(gateway, 'DEVELOPER');
      await page.goto(`invitation${new URL(link).hash}`);
      await page.getByText(`The operator invites ${email} to the account demo as developer.`).waitFor();
      await accept().waitFor();
    });

    test('that was used says so before anything is typed', async () => {
      const { link } = await invite(gateway, 'VIEWER');
      await page.goto(`invitation${new URL(link).hash}`);
      await page.getByRole('textbox', { name: 'Password' }).fill('a sentence that nobody guesses');
      await accept().click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await stranger.clearCookies();
      await page.goto(`invitation${new URL(link).hash}`);
      await page.reload();
      await page.getByRole('alert').getByText('The invitation is over, was used or was taken back.').waitFor();
      expect(await accept().count()).toBe(0);
    });
  });

  test('a badge says where the sandbox answers, until something is connected', async () => {
    const { token, connect } = await makeAccount(gateway);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    const badge = page.getByText('sandbox', { exact: true });
    await page.goto('errors');
    await badge.waitFor();
    await connect('Carrier', carrier.config);
    await expect
      .poll(async () => {
        await page.goto('errors');
        await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor();
        return badge.count();
      })
      .toBe(0);
  });

  test('an id that never was is not said to be kept no longer', async () => {
    for (const [id, what] of [
      ['msg_01a2018495c972249b137b3a96670d73', 'message'],
      ['pin_00000000000000000000000000000001', 'passcode'],
      ['msg_0', 'message'],
    ]) {
      await page.goto(`logs?open=${id}`);
      await page.getByRole('heading', { name: `There is no such ${what}` }).waitFor();
    }
  });

  test('an id whose row is gone and whose entries stand in the log is said to be kept no longer', async ({ skip }) => {
    const { DATABASE_URL } = gateway.env;
    // An embedded database is that of its gateway alone.
    if (!DATABASE_URL) return skip();
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
    const { messageId } = body.data ?? { messageId: '' };
    await page.goto(`logs?open=${messageId}`);
    await page.getByText(messageId).first().waitFor();
    await runSql(DATABASE_URL, `delete from messages where id = '${toUuid(messageId)}'`);
    await page.reload();
    await page.getByRole('heading', { name: 'It is not kept any longer' }).waitFor();
    await page.getByText('Its entries still stand in the log.').waitFor();
  });

  test('an operator sees the accounts side by side, with what each sent', async () => {
    await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
    const theirs = await signedInAsOperator(browser, gateway, () => undefined);
    const seen = await theirs.newPage();
    await seen.goto('');
    const table = seen.getByRole('table', { name: 'Accounts' });
    await table.getByRole('row').filter({ hasText: 'demo' }).first().waitFor();
    const heads = await table.getByRole('columnheader').allInnerTexts();
    expect(heads).toEqual(expect.arrayContaining(['Attempts in 24 h', 'Success rate', 'Failed', 'Credits']));
    await theirs.close();
  });

  describe('the documentation', () => {
    test.each(['pin', 'pinId', 'attemptsRemaining'])('finds what has the field %s', async field => {
      await page.goto('/docs');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('combobox', { name: 'Search operations' }).fill(field);
      await page.getByRole('option', { name: 'Verify a passcode' }).first().waitFor();
    });

    test('sends for who is signed in with a token that is made for it', async () => {
      await page.goto('/docs');
      const part = page.locator('#sendMessage');
      await part.getByRole('button', { name: 'Try it: sendMessage' }).click();
      await part.getByText('You are signed in').waitFor();
      await part.getByRole('button', { name: 'Send', exact: true }).click();
      await part.getByText(/^200 \w* ?in \d+ ms$/).waitFor();
      const { tokens } = await ask<{ tokens: { area: string; expiresAt: string | null }[] }>(
        gateway,
        gateway.demo.tokens.management,
        '{ tokens { area expiresAt } }',
      );
      expect(tokens.filter(({ expiresAt }) => expiresAt !== null).map(({ area }) => area)).toEqual(['UNIFIED']);
    });

    test.each(['VIEWER', 'SUPPORT'] as const)('asks the role %s for a token, as none can be made', async role => {
      const theirs = await signedInAs(role, browser, gateway, () => undefined);
      const seen = await theirs.newPage();
      await seen.goto('/docs');
      const part = seen.locator('#sendMessage');
      await part.getByRole('button', { name: 'Try it: sendMessage' }).click();
      await seen.waitForLoadState('networkidle');
      await part.getByRole('button', { name: 'Send', exact: true }).click();
      await seen.getByRole('dialog', { name: 'Tokens' }).waitFor();
      await theirs.close();
    });
  });
});
