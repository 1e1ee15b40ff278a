import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../support/browser/tabs.ts';
import { type SmtpPeer, startSmtpPeer } from '../../support/mail/smtp-peer.ts';
import { type DemoGateway, startDemoGateway } from '../../support/processes/gateway.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

describe.skipIf(lacksBrowser('alerts.test.ts'))('the page of alerts', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let smtp: SmtpPeer;
  let slack: Receiver;
  let context: BrowserContext;
  const complaints: string[] = [];

  beforeAll(async () => {
    [smtp, slack, browser] = await Promise.all([startSmtpPeer(), startReceiver(), openBrowser()]);
    const env = {
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'Heliograph <gateway@acme.example>',
    };
    gateway = await startDemoGateway({ env });
    context = await signedIn(browser, gateway, text => void complaints.push(text));
  });
  afterAll(async () => {
    await closeWindows();
    await Promise.all([smtp?.close(), slack?.close()]);
    expect(complaints).toEqual([]);
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

  test('makes a rule that tells by mail and in a chat, changes it, and deletes it', async () => {
    const page = await takeTab(context);
    await page.goto('alerts');
    await button(page, 'Create rule').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Tell when' }).click();
    await page.getByRole('option', { name: 'The balance is low' }).click();
    await dialog.getByLabel('Below so many credits').fill('2000');
    await dialog.getByLabel('By mail to').fill('ada@acme.example');
    await dialog.getByLabel('By a Slack-compatible URL').fill(slack.url);
    await button(page, 'Create rule').last().click();

    // A real job of a real process tells it, by both ways.
    await slack.hasReceived(1);
    expect(JSON.parse(slack.received[0]?.body ?? '').text).toContain(
      'demo: The balance is 1,000 credits, below 2,000.',
    );
    const mail = await smtp.mail(({ to }) => to.includes('ada@acme.example'));
    expect(mail.source).toContain('Subject: demo: The balance is 1,000 credits, below 2,000\r\n');
    // Without being loaded again.
    await page.getByRole('table', { name: 'Rules' }).getByText('The balance is below 2,000 credits').waitFor();
    await page.getByRole('table', { name: 'Rules' }).getByText('1 open').waitFor();
    await page.getByRole('table', { name: 'What was told' }).getByText('The balance is 1,000 credits').waitFor();

    await button(page, /^Edit/).click();
    await dialog.getByText(`It goes to ${new URL(slack.url).host}`).waitFor();
    await dialog.getByLabel('Below so many credits').fill('10');
    await dialog.getByRole('checkbox').check();
    await button(page, 'Save rule').click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('table', { name: 'Rules' }).getByRole('row').nth(1);
    await row.getByText('The balance is below 10 credits').waitFor();
    expect(await row.innerText()).not.toContain('127.0.0.1');
    expect(await row.innerText()).toContain('ada@acme.example');

    await button(page, /^Pause/).click();
    await row.getByText('paused').waitFor();
    await button(page, /^Delete: /).click();
    await button(page, 'Delete rule').click();
    await page.getByRole('heading', { name: 'No rule yet' }).waitFor();
    await leaveTab(page);
  });

  test('sends a test of a rule, and says what was answered', async () => {
    const chat = await startReceiver();
    onTestFinished(() => chat.close());
    const page = await takeTab(context);
    await page.goto('alerts?new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('By mail to').fill('grace@acme.example');
    await dialog.getByLabel('By a Slack-compatible URL').fill(chat.url);
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await button(page, 'Test: A webhook endpoint fails').click();
    await button(page, 'Send test').click();
    await dialog.getByText('Test, nothing is wrong: The endpoint Sample fails').waitFor();
    expect(await dialog.getByText('taken').count()).toBe(2);
    await dialog.getByText('no endpoint gets it').waitFor();
    await smtp.mail(({ to }) => to.includes('grace@acme.example'));
    await button(page, 'Cancel').click();
    await button(page, /^Delete: /).click();
    await button(page, 'Delete rule').click();
    await page.getByRole('heading', { name: 'No rule yet' }).waitFor();
    await leaveTab(page);
  });

  test('shows each fault at its input', async () => {
    const page = await takeTab(context);
    await page.goto('alerts?new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('By mail to').fill('ada@acme.example, ada');
    await dialog.getByLabel('By a Slack-compatible URL').fill('http://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await dialog.getByText('ada: must be an e-mail address').waitFor();
    await dialog.getByLabel('By mail to').fill('');
    await dialog.getByRole('button', { name: 'Create rule' }).click();
    await dialog.getByText('must be a public http(s) address').waitFor();
    await leaveTab(page);
  });
});
