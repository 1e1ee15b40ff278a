import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible, expectNoViolations } from '../../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { type SmtpPeer, startSmtpPeer } from '../../../support/mail/smtp-peer.ts';
import { type DemoGateway, startDemoGateway } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('reset-password.test.ts'))('a password that was forgotten', () => {
  let mails: SmtpPeer;
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    mails = await startSmtpPeer();
    const env = { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'Heliograph <gateway@acme.example>' };
    [gateway, browser] = await Promise.all([startDemoGateway({ env }), openBrowser()]);
    context = await browser.newContext({ baseURL: `${gateway.url}/dashboard/` });
  });
  afterAll(async () => {
    await closeWindows();
    await mails?.close();
  });

  beforeEach(async () => {
    page = await takeTab(context);
  });
  afterEach(async () => {
    await leaveTab(page);
    await context.clearCookies();
  });

  /** Axe finds nothing, and nothing is wider than a phone. */
  async function looksWell(): Promise<void> {
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  test('is set anew by a link that comes by mail', async () => {
    const { email } = gateway.demo.dashboard;
    await page.goto('');
    await page.getByRole('link', { name: 'Forgot the password?' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Mail me a link' }).click();
    await page.getByText('a mail with a link is on its way').waitFor();
    await looksWell();

    const { source } = await mails.mail(({ to }) => to.includes(email));
    const text = source.replaceAll('=\r\n', '').replaceAll('=23', '#');
    const [link = ''] = /http:\/\/\S+\/dashboard\/reset#[\w-]+/.exec(text) ?? [];
    expect(link.startsWith(`${gateway.url}/dashboard/reset#`)).toBe(true);
    await page.goto(link);
    await page.getByRole('textbox', { name: 'New password' }).fill('another sentence of mine');
    await looksWell();
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByRole('heading', { name: 'The password is set' }).waitFor();
    await looksWell();
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill('another sentence of mine');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();

    await page.goto(link);
    await page.reload();
    await page.getByRole('textbox', { name: 'New password' }).fill('one more sentence of mine');
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('The link is over, or was used. Ask for another one.').waitFor();
  });

  test('is no link where no mail is set', async () => {
    const silent = await startDemoGateway();
    await page.goto(`${silent.url}/dashboard/sign-in`);
    await page.getByRole('textbox', { name: 'Password' }).waitFor();
    expect(await page.getByRole('link', { name: 'Forgot the password?' }).count()).toBe(0);
  });
});
