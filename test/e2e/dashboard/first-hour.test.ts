import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { type DemoGateway, send, startDemoGateway, TEXT } from '../../support/processes/gateway.ts';
import { provesService, provesStandard } from '../../support/webhooks/independent-signatures.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

describe.skipIf(lacksBrowser('first-hour.test.ts'))('the first hour', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let receiver: Receiver;
  const complaints: string[] = [];

  beforeAll(async () => {
    const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' };
    [gateway, browser, receiver] = await Promise.all([startDemoGateway({ env }), openBrowser(), startReceiver()]);
    context = await browser.newContext({
      baseURL: `${gateway.url}/dashboard/`,
      viewport: { width: 1280, height: 900 },
    });
    page = await context.newPage();
    page.on('pageerror', error => complaints.push(error.message));
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text());
    });
  });
  afterAll(async () => {
    await closeWindows();
    await receiver?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const box = (name: string) => page.getByRole('textbox', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const steps = () => page.getByRole('region', { name: 'First steps' });
  const deliveries = () => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');

  /** Goes to a page by the navigation. */
  async function goTo(name: string): Promise<void> {
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await pages.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
  }

  /** Goes to the overview, and expects these of the first steps to be ticked. */
  async function expectTicked(...names: readonly string[]): Promise<void> {
    await goTo('Overview');
    await steps().getByText(`${names.length} of 5`).waitFor();
    const ticked = await steps().getByRole('listitem').filter({ hasText: '(done)' }).locator('strong').allInnerTexts();
    expect(ticked.sort()).toEqual([...names].sort());
  }

  /** Takes a step of the list, which leads to where it is done. */
  const take = (step: string) => steps().getByRole('link', { name: step }).click();

  test('leads from the way in to a signed webhook, and the list of first steps ticks itself', async () => {
    await page.goto('');
    await box('Email').fill(gateway.demo.dashboard.email);
    await box('Password').fill(gateway.demo.dashboard.password);
    await button('Sign in').click();
    await expectTicked();

    const token = await createToken();
    expect((await send(gateway, token, { text: `${TEXT} by a program` })).status).toBe(200);
    await expectTicked('Use a token', 'Send a message');

    const to = newPhone();
    await sendMessage(to);
    await readOnPhone();
    await expectTicked('Use a token', 'Send a message', 'See it arrive');

    await verifyOtp(newPhone());
    await expectTicked('Use a token', 'Send a message', 'See it arrive', 'Verify a code');

    const secret = await createEndpoint();
    await goTo('Overview');
    await page.getByRole('heading', { name: 'What fails' }).waitFor();
    await expect.poll(() => steps().count()).toBe(0);

    await deliver(to, secret);
    await redeliver(secret);

    await revoke(token);
    expect(complaints).toEqual([]);
  });

  /** Answers the secret of a token that was made on its page. */
  async function createToken(): Promise<string> {
    await take('Use a token');
    await button('Create token').click();
    await dialog().getByRole('button', { name: 'Create token' }).click();
    const secret = await dialog().locator('code').first().innerText();
    await dialog().getByRole('button', { name: 'Done' }).click();
    await dialog().waitFor({ state: 'detached' });
    return secret;
  }

  async function sendMessage(to: string): Promise<void> {
    await goTo('Send');
    // The tab keeps what was written last, which may be a passcode.
    await page.getByRole('tab', { name: 'Message' }).click();
    await box('To').fill(to);
    await box('Text').fill(TEXT);
    await button('Send – 1 credit').click();
    const result = page.getByRole('region', { name: 'Message', exact: true });
    await result.getByText('The provider reports that it reached the phone.').waitFor();
  }

  async function readOnPhone(): Promise<void> {
    await page.getByRole('link', { name: 'See it on the phone' }).click();
    await page.getByRole('log', { name: 'Texts' }).getByText(TEXT, { exact: true }).waitFor();
  }

  async function verifyOtp(to: string): Promise<void> {
    await take('Verify a code');
    await box('To').fill(to);
    await page.getByRole('button', { name: /^Send( –|$)/ }).click();
    const result = page.getByRole('region', { name: 'Passcode', exact: true });
    await result.getByRole('link', { name: 'See it on the phone' }).waitFor();
    const phones = await context.newPage();
    await phones.goto(`phones/${to.slice(1)}`);
    const code = await phones.getByRole('log', { name: 'Texts' }).locator('output').innerText();
    await box('Code').fill(code);
    await button('Verify').click();
    await result.getByRole('listitem').filter({ hasText: 'verified' }).waitFor();
    await phones.getByText('verified ✓').waitFor();
    await phones.close();
    await result.getByRole('link', { name: 'Open in the log' }).click();
    const entry = page.getByRole('list', { name: 'Log entries' }).getByRole('button').filter({ hasText: 'verified' });
    await entry.click();
    const timeline = dialog().getByRole('list', { name: 'Timeline' });
    await timeline.getByText('SMS via sandbox').first().waitFor();
    await timeline.getByRole('listitem').filter({ hasText: 'verified' }).waitFor();
    expect(await dialog().innerText()).not.toContain(code);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  }

  /** Answers the secret of an endpoint for messages that were sent. */
  async function createEndpoint(): Promise<string> {
    await take('Add a webhook');
    await box('URL').fill(receiver.url);
    await page.getByRole('checkbox', { name: 'message.sent' }).check();
    await button('Create endpoint').click();
    await page.getByRole('heading', { name: 'Endpoint created' }).waitFor();
    return (await page.getByText(/^whsec_/).innerText()).trim();
  }

  /** Expects that the next message is told to the endpoint, signed. */
  async function deliver(to: string, secret: string): Promise<void> {
    await sendMessage(to);
    await receiver.hasReceived(1);
    const [delivery] = receiver.received;
    expect(delivery && provesService(delivery, secret) && provesStandard(delivery, secret)).toBe(true);
    expect(JSON.parse(delivery?.body ?? '')).toMatchObject({ event: 'message.sent', data: { recipient: to.slice(1) } });
  }

  /** Makes the delivery again on the page of the endpoint: the same body and id, signed anew. */
  async function redeliver(secret: string): Promise<void> {
    await goTo('Webhooks');
    await page.getByRole('link', { name: receiver.url }).click();
    await deliveries()
      .filter({ hasText: 'delivered' })
      .getByRole('button', { name: /^Redeliver/ })
      .click();
    await receiver.hasReceived(2);
    const [first, second] = receiver.received;
    expect(second && provesService(second, secret)).toBe(true);
    expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, first?.headers['webhook-id']]);
    await deliveries()
      .filter({ has: page.getByRole('cell', { name: '2', exact: true }) })
      .waitFor();
  }

  async function revoke(token: string): Promise<void> {
    await goTo('Tokens');
    const buttons = page.getByRole('button', { name: /^Revoke / });
    await buttons.first().waitFor();
    const names = await buttons.evaluateAll(all => all.map(one => one.ariaLabel ?? ''));
    await button(names.find(name => token.startsWith(name.replace('Revoke ', ''))) ?? '').click();
    await dialog().getByRole('button', { name: 'Revoke token' }).click();
    await page.getByRole('row').filter({ hasText: 'revoked' }).waitFor();
    await expect.poll(async () => (await send(gateway, token)).status).toBe(401);
    expect((await send(gateway, token)).body).toMatchObject({ success: false });
  }
});
