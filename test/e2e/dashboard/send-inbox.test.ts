import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible } from '../../support/browser/accessible.ts';
import { lacksBrowser, launchBrowser } from '../../support/browser/chromium.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount } from '../../support/processes/accounts.ts';
import { ask, type DemoGateway, startDemoGateway, TEXT } from '../../support/processes/gateway.ts';

const isWithoutBrowser = lacksBrowser('send-inbox.test.ts');

describe.skipIf(isWithoutBrowser)('the pages Send and Inbox', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), launchBrowser()]);
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    complaints = [];
    context = await signedInTo(gateway);
    page = await context.newPage();
  });
  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  /** A refusal is an answer with a status of its own, which Chromium tells of. */
  function signedInTo(one: DemoGateway): Promise<BrowserContext> {
    const complain = (text: string) => void (/^Failed to load resource/.test(text) || complaints.push(text));
    return signedIn(browser, one, complain);
  }

  const open = (path: string, parts: Record<string, string> = {}, on: Page = page) =>
    on.goto(`${gateway.url}/dashboard${path}?${new URLSearchParams(parts)}`);
  const box = (name: string) => page.getByRole('textbox', { name, exact: true });
  const sendButton = () => page.getByRole('button', { name: /^Send( –|$)/ });
  const dryRun = () => page.getByRole('region', { name: 'Dry run' });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

  test('a message is sent, its timeline rises to delivered, and it stands in the inbox', async () => {
    const to = newPhone();
    await open('/send');
    await box('To').fill(to);
    await box('Text').fill(TEXT);
    await page.getByRole('button', { name: 'Send – 1 credit' }).click();
    const result = page.getByRole('region', { name: 'Message', exact: true });
    const timeline = result.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('SMS via sandbox').first().waitFor();
    await timeline.getByText('The provider reports that it reached the phone.').waitFor();
    await result.getByRole('link', { name: 'See it in the inbox' }).click();
    const thread = page.getByRole('log', { name: 'Texts' });
    expect(await thread.innerText()).toMatch(/DEMO · SMS · .+\n+Quiet harbour/);
  });

  test('a passcode is sent, its code read and copied in the inbox, verified on the page, and the thread says so', async () => {
    const to = newPhone();
    await open('/send', { kind: 'otp', to });
    await sendButton().click();
    const result = page.getByRole('region', { name: 'Passcode', exact: true });
    await result.getByText('SMS via sandbox').first().waitFor();
    const inbox = await context.newPage();
    await open(`/inbox/${to.slice(1)}`, {}, inbox);
    const thread = inbox.getByRole('log', { name: 'Texts' });
    const code = await thread.locator('output').innerText();
    expect(await thread.innerText()).toContain(`Your verification code is ${code}.`);
    await inbox.bringToFront();
    await thread.getByRole('button', { name: 'Copy the code' }).click();
    expect(await inbox.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await page.bringToFront();
    await box('Code').fill(code);
    await page.getByRole('button', { name: 'Verify' }).click();
    await result.getByRole('listitem').filter({ hasText: 'verified' }).waitFor();
    await thread.getByText('verified ✓').waitFor();
  });

  test('a wrong code is refused at its box, which says how many tries are left', async () => {
    await open('/send', { kind: 'otp', to: newPhone(), length: '4' });
    await sendButton().click();
    await box('Code').fill('1');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('The code is wrong. 4 tries are left.').waitFor();
    expect(await box('Code').getAttribute('aria-invalid')).toBe('true');
    await page.getByText(/4 tries left · ends in 4:\d\d/).waitFor();
  });

  test('the counter names the characters that cost, and puts others in their place', async () => {
    await open('/send', { text: `It’s here 🎉 ${'x'.repeat(60)}` });
    await page.getByText('72 characters · 2 segments of SMS · 2 credits').waitFor();
    const costs = page.getByRole('listitem');
    await costs.filter({ hasText: 'U+2019' }).getByRole('button', { name: "Replace with '" }).click();
    await costs.filter({ hasText: 'U+2019' }).waitFor({ state: 'detached' });
    await costs.filter({ hasText: 'U+1F389' }).getByRole('button', { name: 'Remove' }).click();
    await page.getByText('71 characters · 1 segment of SMS · 1 credit').waitFor();
    expect(await box('Text').inputValue()).toBe(`It's here  ${'x'.repeat(60)}`);
  });

  test.each(['?', '#'])(
    'what a link says behind %s of a recipient and a text leaves the URL, and a reload keeps it',
    async mark => {
      const to = newPhone();
      await page.goto(`${gateway.url}/dashboard/send${mark}${new URLSearchParams({ to, text: TEXT })}`);
      await page.waitForURL(/\/send\?channels=sms$/);
      await box('Text').fill(`${TEXT}, twice`);
      await page.reload();
      expect([await box('To').inputValue(), await box('Text').inputValue()]).toEqual([to, `${TEXT}, twice`]);
      expect(page.url()).toMatch(/\/send\?channels=sms$/);
      await page.getByRole('link', { name: 'Limits' }).click();
      await page.getByRole('link', { name: 'Send', exact: true }).click();
      expect(await box('Text').inputValue()).toBe(`${TEXT}, twice`);
    },
  );

  test('what is refused stands at its input, which has the focus', async () => {
    await open('/send', { kind: 'otp', to: '+1', template: 'no place for it', length: '3' });
    await sendButton().click();
    await page.getByText('Must be a phone number with country code, like +12025550100.', { exact: true }).waitFor();
    await page.getByText('Must hold {{code}}, where the code goes.', { exact: true }).waitFor();
    await page.getByText('Must be a whole number of digits from 4 to 10.', { exact: true }).waitFor();
    expect(await box('To').evaluate(input => input === document.activeElement)).toBe(true);
  });

  test('a number that the palette leads here with leaves the URL too, and a reload keeps what is typed after it', async () => {
    const to = newPhone();
    await page.goto(`${gateway.url}/dashboard/send`);
    await page.getByLabel('Text', { exact: true }).fill('a');
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/^A page/).fill(to);
    await page.getByRole('button', { name: /^Send to / }).click();
    await expect.poll(() => page.getByLabel('To', { exact: true }).inputValue()).toBe(to);
    await page.waitForURL(/\/send\?channels=sms$/);
    await page.getByLabel('Text', { exact: true }).fill('typed after it');
    await page.reload();
    await expect.poll(() => page.getByLabel('Text', { exact: true }).inputValue()).toBe('typed after it');
  });

  test('the channels are put into another order by the keyboard, and the dry run, the URL and the samples follow', async () => {
    await open('/send', { to: '+12025550102', text: TEXT, channels: 'sms,chat_qr' });
    const legs = dryRun().getByRole('listitem');
    await legs.nth(0).getByText('SMS from DEMO').waitFor();
    await page.getByRole('button', { name: 'Move QR chat with the arrow keys' }).press('ArrowUp');
    await legs.nth(0).getByText('QR chat from +1 555 000 0001').waitFor();
    await page.waitForURL(/channels=chat_qr%2Csms/);
    await page.getByRole('button', { name: 'Send – at most 1 credit' }).waitFor();
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    const input = {
      to: '+12025550102',
      text: TEXT,
      channels: ['CHAT_QR', 'SMS'],
      chatFrom: '15550000001',
      sender: 'DEMO',
    };
    expect(await clipboard()).toContain(JSON.stringify({ input }));
  });

  test('a sample holds what was typed, whatever quotes are in it', async () => {
    const text = `it's '''quoted''' and "so on"`;
    await open('/send', { to: '+12025550102', text, channels: 'sms' });
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'Python' }).click();
    const [, literal = ''] = /json\.loads\(r'''([^']*)'''\)/.exec(await clipboard()) ?? [];
    expect(JSON.parse(literal)).toMatchObject({ input: { to: '+12025550102', text } });
  });

  test('a sample of nothing yet has a number and a text that can be sent', async () => {
    await open('/send', { channels: 'sms' });
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    expect(await clipboard()).toContain('"to":"+12025550100","text":"Hello"');
  });

  test('the channels are dragged into another order', async () => {
    await open('/send', { channels: 'sms,chat_qr' });
    const handles = page.getByRole('button', { name: /^Move .+ with the arrow keys$/ });
    await handles.nth(1).dragTo(page.locator('[data-channel="SMS"]'));
    await page.waitForURL(/channels=chat_qr%2Csms/);
    expect(await handles.evaluateAll(all => all.map(handle => handle.getAttribute('aria-label')))).toEqual([
      'Move QR chat with the arrow keys',
      'Move SMS with the arrow keys',
    ]);
  });

  test('a channel that fails is followed by the next one, and the timeline says why', async () => {
    await open('/send', { to: '+12025550102', text: TEXT, channels: 'chat_qr,sms' });
    await sendButton().click();
    const attempts = page.getByRole('region', { name: 'Message', exact: true }).getByRole('listitem');
    await attempts.filter({ hasText: 'failed' }).getByText('The recipient is not on this chat.').waitFor();
    await attempts.filter({ hasText: 'SMS via sandbox' }).getByText('The provider accepted it.').waitFor();
  });

  test('the inbox shows what comes while it is looked at, and counts what is unread', async () => {
    const [one, other] = [newPhone(), newPhone()];
    const say = (to: string, text: string) =>
      ask(
        gateway,
        gateway.demo.tokens.unified,
        'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }',
        { input: { to, text, channels: ['SMS'], sender: 'DEMO' } },
      );
    await say(one, `${TEXT} I`);
    await open(`/inbox/${one.slice(1)}`);
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

  test('the navigation counts what came since the inbox was visited, wherever one is', async () => {
    const [one, other] = [newPhone(), newPhone()];
    const { token } = await makeAccount(gateway);
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }';
    const say = (to: string) =>
      ask(gateway, token, query, { input: { to, text: TEXT, channels: ['SMS'], sender: 'ACME' } });
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    const inbox = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Inbox/ });
    await say(one);
    await open('/limits');
    await inbox.getByText('1 unread text').waitFor();
    await say(one);
    await say(other);
    await inbox.getByText('3 unread texts').waitFor();
    await expectAccessible(page);
    await inbox.click();
    await page.getByRole('navigation', { name: 'Phones' }).getByText('2 unread texts').click();
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.reload();
    await say(other);
    await inbox.getByText('1 unread text', { exact: true }).waitFor();
  });

  test('of the phones one is found by number and by text, all are taken as read, and all are cleared', async () => {
    const { token } = await makeAccount(gateway);
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }';
    const numbers = Array.from({ length: 8 }, (_, index) => `+12025550${String(200 + index)}`);
    const say = (to: string) =>
      ask(gateway, token, query, {
        input: { to, text: `${TEXT} ${to.slice(-3)}.`, channels: ['SMS'], sender: 'ACME' },
      });
    await Promise.all(numbers.map(say));
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    await open('/inbox');
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
    await phones.getByRole('button', { name: 'Clear the inbox' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Clear inbox' }).click();
    await page.getByRole('heading', { name: 'No phone has received anything yet' }).waitFor();
  });

  test('what a phone reports of the next text is decided in the inbox, and of one that is held at its bubble', async () => {
    const to = newPhone();
    const say = (text: string) =>
      ask(
        gateway,
        gateway.demo.tokens.unified,
        'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { status } }',
        { input: { to, text, channels: ['SMS'], sender: 'DEMO' } },
      );
    await open(`/inbox/${to.slice(1)}`);
    await page.getByText('Nothing came to this phone within a day.').waitFor();
    const next = page.getByRole('group', { name: 'Receipt of the next text' });
    await next.getByRole('button', { name: 'Fail' }).click();
    await next.getByText('The next text is reported as failed.').waitFor();
    await say(`${TEXT} I`);
    const bubbles = page.getByRole('log').getByRole('article');
    await bubbles
      .filter({ hasText: `${TEXT} I` })
      .getByRole('link', { name: 'failed' })
      .waitFor();
    await next.getByRole('button', { name: 'Hold' }).click();
    await next.getByText('Nothing is reported of the next text').waitFor();
    await say(`${TEXT} II`);
    const held = bubbles.filter({ hasText: `${TEXT} II` });
    await held.getByRole('button', { name: 'Deliver' }).click();
    await held.getByRole('link', { name: 'delivered' }).waitFor();
    await held.getByRole('button', { name: 'Open' }).click();
    await held.getByRole('link', { name: 'read' }).waitFor();
  });

  test('on a phone the list and the thread are two views, and nothing scrolls sideways', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    const to = newPhone();
    await open('/send', { to, text: `${TEXT} ${'x'.repeat(120)}`, channels: 'sms,chat_qr,chat_cloud' });
    await dryRun().getByText('It would be refused:').waitFor();
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    expect(await fits()).toBe(true);
    await page.getByRole('button', { name: 'Remove Cloud chat' }).click();
    await page.getByRole('button', { name: 'Move SMS down' }).click();
    await page.getByRole('button', { name: 'Send – at most 2 credits' }).or(sendButton()).first().click();
    await page.getByRole('link', { name: 'See it in the inbox' }).click();
    await page.getByRole('log').waitFor();
    expect([await page.getByRole('navigation', { name: 'Phones' }).isVisible(), await fits()]).toEqual([false, true]);
    await page.getByRole('link', { name: 'All phones' }).click();
    await page.getByRole('navigation', { name: 'Phones' }).getByText(TEXT).first().waitFor();
    expect([await page.getByRole('log').count(), await fits()]).toEqual([0, true]);
  });

  test('break no rule of accessibility, in light and in dark', async () => {
    const to = newPhone();
    await open('/send', { to, text: 'It’s here', channels: 'sms,chat_qr' });
    await page.getByText('This character leaves room').waitFor();
    await dryRun().getByText('SMS from DEMO').waitFor();
    await expectAccessible(page);
    await open('/send', { kind: 'otp', to });
    await sendButton().click();
    await page.getByRole('region', { name: 'Passcode', exact: true }).getByText('SMS via sandbox').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'See it in the inbox' }).click();
    await page.getByRole('log').locator('output').waitFor();
    await expectAccessible(page);
  });

  describe('where a gateway is connected', () => {
    let carrier: HttpGateway;
    let token: string;

    beforeAll(async () => {
      carrier = await openHttpGateway();
      const account = await makeAccount(gateway);
      await account.connect('First', carrier.config);
      const paused = await account.connect('Paused', carrier.config);
      await account.pause(paused);
      token = account.token;
    });
    afterAll(() => carrier.close());

    beforeEach(async () => {
      await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    });

    test('says by which connections it would go, and asks before it reaches a real phone', async () => {
      const to = newPhone();
      await open('/send', { to, text: TEXT });
      const connections = dryRun().getByRole('listitem');
      await connections.getByText('First http-sms is asked first.').waitFor();
      await connections.getByText('Paused http-sms is not asked: it is paused.').waitFor();
      await page.getByRole('button', { name: 'Send – 1 credit' }).click();
      const dialog = page.getByRole('dialog', { name: /^Send to / });
      await dialog.getByText('It goes to a real phone and cannot be taken back.').waitFor();
      expect(carrier.messages.filter(message => message.to === to.slice(1))).toEqual([]);
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Send – 1 credit' }).click();
      await page
        .getByRole('region', { name: 'Message', exact: true })
        .getByText('SMS via http-sms/First')
        .first()
        .waitFor();
      expect(carrier.messages.map(({ text }) => text)).toEqual([TEXT]);
      await page.getByRole('link', { name: 'Open in the log' }).waitFor();
      expect(await page.getByRole('link', { name: 'See it in the inbox' }).count()).toBe(0);
    });
  });

  describe('where nothing came, or nothing can', () => {
    test('the inbox says with what command a text comes, as it stands', async () => {
      const { token } = await makeAccount(gateway);
      await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
      await open('/inbox');
      await page.getByRole('heading', { name: 'No phone has received anything yet' }).waitFor();
      await page.getByRole('button', { name: 'Copy the command' }).click();
      expect(await clipboard()).toMatch(
        new RegExp(`^curl -s ${gateway.url}/api/omni/send .+\\$\\(node -p .+ -d '\\{.+\\}'$`, 's'),
      );
      await expectAccessible(page);
    });

    test('the inbox says by which setting the sandbox is off', async () => {
      const off = await startDemoGateway({ env: { SANDBOX: 'off' } });
      await context.close();
      context = await signedInTo(off);
      page = await context.newPage();
      await page.goto(`${off.url}/dashboard/inbox`);
      await page.getByRole('heading', { name: 'The sandbox is off here' }).waitFor();
      expect(await page.getByRole('main').innerText()).toContain('SANDBOX=on');
      off.kill();
    });
  });
});
