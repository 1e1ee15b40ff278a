import { beforeAll, describe, expect, test } from 'vitest';
import { lacksBrowser } from '../../support/browser/chromium.ts';
import { setUpPages } from '../../support/browser/set-up-pages.ts';
import { oncePerFile } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import { ask, operatorTokenOf, send, TEXT, until } from '../../support/processes/gateway.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';

describe.skipIf(lacksBrowser('deep-links.test.ts'))('the URL of a page', () => {
  const { gateway, browser, page } = setUpPages({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }, loadsAll: true });
  const receiver = oncePerFile(startReceiver, one => one.close());
  let endpointId: string;
  beforeAll(async () => {
    ({ endpointId } = await makeEndpoint(gateway, receiver.url, ['message.sent', 'message.routed']));
  });

  const dialog = () => page.getByRole('dialog');
  const entries = () => page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  const deliveries = () => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  const search = () => Object.fromEntries(new URL(page.url()).searchParams);
  const visit = (name: string) =>
    page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

  async function sendTo(to: string): Promise<string> {
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to });
    return body.data?.messageId ?? '';
  }

  /** Expects that a page shows something as it is, after a reload, and after one went on and came back. */
  async function expectKept(shows: () => Promise<unknown>): Promise<void> {
    const before = search();
    const path = new URL(page.url()).pathname;
    await shows();
    await page.reload();
    await shows();
    expect(search()).toEqual(before);
    // A modal dialog is in the way of the navigation; an address is not.
    await page.goto('errors');
    await page.goBack();
    await shows();
    expect([new URL(page.url()).pathname, search()]).toEqual([path, before]);
  }

  test('of the logs keeps filter, time and what is open', async () => {
    const to = newPhone();
    const messageId = await sendTo(to);
    await sendTo(newPhone());
    await page.goto(`logs?${new URLSearchParams({ recipient: to, span: '1h' })}`);
    await entries().first().click();
    await dialog().waitFor();
    expect(search()).toEqual({ recipient: to, span: '1h', open: messageId });
    await expectKept(async () => {
      await dialog().getByText('The provider accepted it.', { exact: true }).waitFor();
      await expect.poll(() => page.locator('[aria-label="Log entries"] button').count()).toBe(1);
      await page.getByText(`recipient: ${to}`).waitFor();
    });
  });

  test('of the logs keeps the view of attempts', async () => {
    const to = newPhone();
    await sendTo(to);
    await page.goto(`logs?${new URLSearchParams({ recipient: to, view: 'attempts', status: 'SENT,DELIVERED' })}`);
    await expectKept(async () => {
      await page.getByText('Every attempt to reach a phone').waitFor();
      await expect.poll(() => entries().count()).toBe(1);
    });
  });

  test('of the logs lets the way back close what is open', async () => {
    const to = newPhone();
    await sendTo(to);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await entries().first().click();
    await dialog().waitFor();
    await page.goBack();
    await dialog().waitFor({ state: 'detached' });
    expect(search()).toEqual({ recipient: to });
  });

  test('of the logs shows an entry of no send that is not in the list', async () => {
    const { accountId, tokens } = gateway.demo;
    const setLimits = 'mutation ($input: UpdateOtpSettingsInput!) { updateOtpSettings(input: $input) { fraudMode } }';
    const input = { accountId, fraudMode: 'BLOCK', countries: ['US'] };
    await ask(gateway, await operatorTokenOf(gateway), setLimits, { input });
    const sendOtp = 'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }';
    const stopped = '{ logs(filter: { type: OTP_BLOCKED }, first: 1) { nodes { id } } }';
    const id = await until('the fraud guard stops a passcode to Germany', async () => {
      const to = `+49151${String(Math.random()).slice(2, 10)}`;
      await ask(gateway, tokens.unified, sendOtp, { input: { to, channels: ['SMS'] } }).catch(() => null);
      const { logs } = await ask<{ logs: { nodes: { id: string }[] } }>(gateway, tokens.management, stopped);
      return logs.nodes[0]?.id ?? null;
    });
    await page.goto(`logs?${new URLSearchParams({ recipient: newPhone(), open: id })}`);
    await dialog().getByText(`Copy the id: ${id}`).waitFor({ state: 'attached' });
  });

  test('of the logs keeps its filter on the way back from another page, and forward again', async () => {
    const to = newPhone();
    await sendTo(to);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await entries().first().waitFor();
    await visit('Senders');
    await page.getByRole('heading', { name: 'Senders', level: 1 }).waitFor();
    await page.goBack();
    await expect.poll(() => entries().count()).toBe(1);
    expect(search()).toEqual({ recipient: to });
    await page.goForward();
    await page.getByRole('heading', { name: 'Senders', level: 1 }).waitFor();
  });

  test('of an endpoint keeps the filter of its deliveries and the one that is open', async () => {
    await sendTo(newPhone());
    await page.goto(`webhooks/${endpointId}?event=message.sent&status=DELIVERED`);
    await deliveries().first().click();
    await expectKept(async () => {
      await dialog().getByText('The endpoint acknowledged it.').waitFor();
      const events = page.locator('[aria-label="Deliveries"] tbody tr td[data-head="Event"]');
      // The list may come after what is open of it.
      await expect.poll(async () => [...new Set(await events.allInnerTexts())]).toEqual(['message.sent']);
    });
    expect(search()).toEqual({ event: 'message.sent', status: 'DELIVERED', delivery: expect.stringMatching(/^dlv_/) });
  });

  test('of the phones names the phone, and the way back leads to the one before', async () => {
    const [one, other] = [newPhone(), newPhone()];
    await Promise.all([sendTo(one), sendTo(other)]);
    const thread = (to: string) =>
      page.getByRole('region', { name: `Phone +1 ${to.slice(2, 5)} ${to.slice(5, 8)} ${to.slice(8)}` });
    await page.goto(`phones/${one.slice(1)}`);
    await expectKept(() => thread(one).getByText(TEXT, { exact: true }).waitFor());
    await page
      .getByRole('navigation', { name: 'Phones' })
      .locator(`[href$="${other.slice(1)}"]`)
      .click();
    await thread(other).getByText(TEXT, { exact: true }).waitFor();
    await page.goBack();
    await thread(one).waitFor();
    await page.goForward();
    await thread(other).waitFor();
  });

  test('of the overview keeps the time that it looks at', async () => {
    await page.goto('');
    await page.getByText('7 days', { exact: true }).click();
    await page.waitForURL(/range=7d/);
    await expectKept(() => expect.poll(() => page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true));
  });

  test('of a place on a page survives the sign-in', async () => {
    const stranger = await browser.newContext({ baseURL: `${gateway.url}/dashboard/` });
    const theirs = await stranger.newPage();
    await theirs.goto('errors#recipient_refused');
    await theirs.getByLabel('Email').fill(gateway.demo.dashboard.email);
    await theirs.getByRole('textbox', { name: 'Password' }).fill(gateway.demo.dashboard.password);
    await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
    await theirs.getByText('the sandbox refused this phone').waitFor();
    expect(new URL(theirs.url()).hash).toBe('#recipient_refused');
    await stranger.close();
  });

  test('of no page leads to the overview', async () => {
    await page.goto('no-such-page');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  });
});
