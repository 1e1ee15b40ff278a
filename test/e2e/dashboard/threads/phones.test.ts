import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { expectAccessible } from '../../../support/browser/accessible.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { signedIn } from '../../../support/browser/signed-in.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/processes/accounts.ts';
import { ask, startDemoGateway, TEXT } from '../../../support/processes/gateway.ts';

const isWithoutBrowser = lacksBrowser('phones.test.ts');

describe.skipIf(isWithoutBrowser)('the page Sandbox phones', () => {
  const { gateway, browser, context, page, complain, turnTo } = setUpPages();

  const open = (path: string, parts: Record<string, string> = {}, on: Page = page) =>
    on.goto(`${gateway.url}/dashboard${path}?${new URLSearchParams(parts)}`);
  const say = (to: string, text: string, { token = gateway.demo.tokens.unified, sender = 'DEMO' } = {}) =>
    ask(gateway, token, 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }', {
      input: { to, text, channels: ['SMS'], sender },
    });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

  test('shows what comes while it is looked at, and counts what is unread', async () => {
    const [one, other] = [newPhone(), newPhone()];
    await say(one, `${TEXT} I`);
    await open(`/phones/${one.slice(1)}`);
    await page.getByRole('log').getByText(`${TEXT} I`, { exact: true }).waitFor();
    await say(one, `${TEXT} II`);
    await page.getByRole('log').getByText(`${TEXT} II`, { exact: true }).waitFor();
    await say(other, `${TEXT} III`);
    const phones = page.getByRole('navigation', { name: 'Phones' }).getByRole('link');
    const unread = phones.filter({ hasText: `${TEXT} III` });
    await unread.getByText('1 unread text').waitFor();
    await unread.click();
    await page.getByRole('log').getByText(`${TEXT} III`, { exact: true }).waitFor();
    await unread.getByText('unread').waitFor({ state: 'detached' });
  });

  test('the navigation counts what came since it was visited, wherever one is', async () => {
    const [one, other] = [newPhone(), newPhone()];
    const { token } = await makeAccount(gateway);
    const sayTo = (to: string) => say(to, TEXT, { token, sender: 'ACME' });
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Sandbox phones/ });
    await sayTo(one);
    await open('/limits');
    await entry.getByText('1 unread text').waitFor();
    await sayTo(one);
    await sayTo(other);
    await entry.getByText('3 unread texts').waitFor();
    await expectAccessible(page);
    await entry.click();
    await page.getByRole('navigation', { name: 'Phones' }).getByText('2 unread texts').click();
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.reload();
    await sayTo(other);
    await entry.getByText('1 unread text', { exact: true }).waitFor();
  });

  test('of the phones one is found by number and by text, all are taken as read, and all are cleared', async () => {
    const { token } = await makeAccount(gateway);
    const numbers = Array.from({ length: 8 }, (_, index) => `+12025550${String(200 + index)}`);
    await Promise.all(numbers.map(to => say(to, `${TEXT} ${to.slice(-3)}.`, { token, sender: 'ACME' })));
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    await open('/phones');
    const phones = page.getByRole('navigation', { name: 'Phones' });
    const links = phones.getByRole('link');
    await expect.poll(() => links.count()).toBe(8);
    const find = phones.getByRole('textbox', { name: 'Find a phone' });
    await find.fill('202 555 0207');
    await expect.poll(() => links.count()).toBe(1);
    await find.fill('harbour 205.');
    await expect.poll(() => links.allInnerTexts()).toEqual([expect.stringContaining('+1 202 555 0205')]);
    await expectAccessible(page);
    await find.fill('');
    await phones.getByRole('button', { name: 'All read' }).click();
    await expect.poll(() => phones.getByText('unread').count()).toBe(0);
    await page.reload();
    await expect.poll(() => links.count()).toBe(8);
    expect(await phones.getByText('unread').count()).toBe(0);
    await phones.getByRole('button', { name: 'Clear the phones' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear phones' }).click();
    await page.getByRole('heading', { name: 'No phone has received anything yet' }).waitFor();
  });

  test('what a phone reports of the next text is decided, and of one that is held at its bubble', async () => {
    const to = newPhone();
    await open(`/phones/${to.slice(1)}`);
    await page.getByText('Nothing came to this phone within a day.').waitFor();
    const next = page.getByRole('group', { name: 'Receipt of the next text' });
    await next.getByRole('button', { name: 'Fail' }).click();
    await next.getByText('The next text is reported as failed.').waitFor();
    await say(to, `${TEXT} I`);
    const bubbles = page.getByRole('log').getByRole('article');
    await bubbles
      .filter({ hasText: `${TEXT} I` })
      .getByRole('link', { name: 'failed' })
      .waitFor();
    await next.getByRole('button', { name: 'Hold' }).click();
    await next.getByText('Nothing is reported of the next text').waitFor();
    await say(to, `${TEXT} II`);
    const held = bubbles.filter({ hasText: `${TEXT} II` });
    await held.getByRole('button', { name: 'Deliver' }).click();
    await held.getByRole('link', { name: 'delivered' }).waitFor();
    await held.getByRole('button', { name: 'Open' }).click();
    await held.getByRole('link', { name: 'read' }).waitFor();
  });

  test('a phone answers the sender of its newest text, or another one that wrote to it, and the thread shows it', async () => {
    const to = newPhone();
    await say(to, `${TEXT} I`);
    await open(`/phones/${to.slice(1)}`);
    const thread = page.getByRole('log', { name: 'Texts' });
    const composer = page.getByRole('form', { name: 'Answer as this phone' });
    const box = composer.getByRole('textbox');
    await composer.getByText('To DEMO. It comes in as what people write does.').waitFor();
    await box.fill(`${TEXT}: yes`);
    await box.press('Control+Enter');
    await thread.getByText(`${TEXT}: yes`, { exact: true }).waitFor();
    await expect.poll(() => box.inputValue()).toBe('');
    expect(await thread.innerText()).toMatch(/DEMO · SMS · .+ I\n.+to DEMO · SMS · .+: yes/s);
    await ask(
      gateway,
      gateway.demo.tokens.unified,
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }',
      { input: { to, text: `${TEXT} II`, channels: ['CHAT_QR'], chatFrom: '15550000001' } },
    );
    await composer.getByRole('combobox', { name: 'To' }).click();
    await page.getByRole('option').nth(1).click();
    await box.fill(`${TEXT}: no`);
    await composer.getByRole('button', { name: 'Answer' }).click();
    await thread.getByText(`${TEXT}: no`, { exact: true }).waitFor();
    const { inboundMessages } = await ask<{ inboundMessages: { nodes: unknown[] } }>(
      gateway,
      gateway.demo.tokens.unified,
      'query ($to: String!) { inboundMessages(filter: { recipient: $to }) { nodes { channel to text } } }',
      { to },
    );
    expect(inboundMessages.nodes).toEqual([
      { channel: 'SMS', to: 'DEMO', text: `${TEXT}: no` },
      { channel: 'SMS', to: 'DEMO', text: `${TEXT}: yes` },
    ]);
    await expectAccessible(page);
  });

  describe('where nothing came, or nothing can', () => {
    test('says with what command a text comes, as it stands', async () => {
      const { token } = await makeAccount(gateway);
      await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
      await open('/phones');
      await page.getByRole('heading', { name: 'No phone has received anything yet' }).waitFor();
      await page.getByRole('button', { name: 'Copy the command' }).click();
      expect(await clipboard()).toMatch(
        new RegExp(`^curl -s ${gateway.url}/api/omni/send .+\\$\\(node -p .+ -d '\\{.+\\}'$`, 's'),
      );
      await expectAccessible(page);
    });

    test('says by which setting the sandbox is off, and the navigation leads there no longer', async () => {
      const off = await startDemoGateway({ env: { SANDBOX: 'off' } });
      await turnTo(await (await signedIn(browser, off, complain)).newPage());
      // Once a feed is open the page asks anew, and a question without an answer before it shows as one that waits.
      const feeds: unknown[] = [];
      page.on('request', request => {
        if (request.headers().accept === 'text/event-stream') feeds.push(request.postDataJSON());
      });
      await page.goto(`${off.url}/dashboard/phones`);
      await page.getByRole('heading', { name: 'The sandbox is off here' }).waitFor();
      expect(feeds).toEqual([]);
      expect(await page.getByRole('main').innerText()).toContain('SANDBOX=on');
      const pages = page.getByRole('navigation', { name: 'Pages' });
      expect(await pages.getByRole('link', { name: 'Sandbox phones' }).count()).toBe(0);
      off.kill();
    });
  });
});
