import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../src/dashboard/app/api/ask.ts';
import { PreviewSendDocument, SendMessageDocument } from '../../../src/dashboard/app/api/operations.generated.ts';
import { expectAccessible } from '../../support/browser/accessible.ts';
import { lacksBrowser } from '../../support/browser/chromium.ts';
import { setUpPages } from '../../support/browser/set-up-pages.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount } from '../../support/processes/accounts.ts';
import { ask, TEXT } from '../../support/processes/gateway.ts';

const isWithoutBrowser = lacksBrowser('send.test.ts');

describe.skipIf(isWithoutBrowser)('the page Send', () => {
  const { gateway, context, page } = setUpPages();

  const open = (path: string, parts: Record<string, string> = {}, on: Page = page) =>
    on.goto(`${gateway.url}/dashboard${path}?${new URLSearchParams(parts)}`);
  const box = (name: string) => page.getByRole('textbox', { name, exact: true });
  const sendButton = () => page.getByRole('button', { name: /^Send( –|$)/ });
  const dryRun = () => page.getByRole('region', { name: 'Dry run' });
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

  test('a message is sent, its timeline rises to delivered, and it stands on its phone', async () => {
    const to = newPhone();
    await open('/send');
    await box('To').fill(to);
    await box('Text').fill(TEXT);
    await page.getByRole('button', { name: 'Send – 1 credit' }).click();
    const result = page.getByRole('region', { name: 'Message', exact: true });
    const timeline = result.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('SMS via sandbox').first().waitFor();
    await timeline.getByText('The provider reports that it reached the phone.').waitFor();
    await result.getByRole('link', { name: 'See it on the phone' }).click();
    const thread = page.getByRole('log', { name: 'Texts' });
    expect(await thread.innerText()).toMatch(/DEMO · SMS · .+\n+Quiet harbour/);
  });

  test('a message whose answer was lost goes out once, however often the button is pressed, and once more after its answer', async () => {
    const to = newPhone();
    let isLost = true;
    await page.route('**/graphql', async (route, request) => {
      if (request.postDataJSON().documentId !== documentIdOf(SendMessageDocument) || !isLost)
        return await route.fallback();
      isLost = false;
      await route.fetch();
      await route.abort();
    });
    const query = 'query ($to: String!) { sandboxMessages(to: $to) { text } }';
    const texts = async () => {
      const { unified } = gateway.demo.tokens;
      return (await ask<{ sandboxMessages: { text: string }[] }>(gateway, unified, query, { to })).sandboxMessages;
    };
    await open('/send', { to, text: TEXT, channels: 'sms' });
    await sendButton().click();
    await page.getByText('The gateway does not answer.').waitFor();
    await sendButton().click();
    await page.getByRole('region', { name: 'Message', exact: true }).getByText('SMS via sandbox').first().waitFor();
    expect(await texts()).toEqual([{ text: TEXT }]);
    await sendButton().click();
    await expect.poll(texts).toEqual([{ text: TEXT }, { text: TEXT }]);
  });

  test('a passcode is sent, its code read and copied on its phone, verified on the page, and the thread says so', async () => {
    const to = newPhone();
    await open('/send', { kind: 'otp', to });
    await sendButton().click();
    const result = page.getByRole('region', { name: 'Passcode', exact: true });
    await result.getByText('SMS via sandbox').first().waitFor();
    const phones = await context.newPage();
    await open(`/phones/${to.slice(1)}`, {}, phones);
    const thread = phones.getByRole('log', { name: 'Texts' });
    const code = await thread.locator('output').innerText();
    expect(await thread.innerText()).toContain(`Your verification code is ${code}.`);
    await phones.bringToFront();
    await thread.getByRole('button', { name: 'Copy the code' }).click();
    expect(await phones.evaluate(() => navigator.clipboard.readText())).toBe(code);
    await page.bringToFront();
    await box('Code').fill(code);
    await page.getByRole('button', { name: 'Verify' }).click();
    await result.getByRole('listitem').filter({ hasText: 'verified' }).waitFor();
    await thread.getByText('verified ✓').waitFor();
    await phones.close();
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

  test.each(['message', 'otp'])('the button "Copy as" stays where it is when the cost comes: kind=%s', async kind => {
    const answers = Promise.withResolvers<void>();
    await page.route('**/graphql', async route => {
      // A stream has no end to wait for.
      if (route.request().headers().accept?.includes('text/event-stream')) return route.continue();
      const response = await route.fetch();
      if ((await response.text()).includes('"preview"')) await answers.promise;
      await route.fulfill({ response });
    });
    await open('/send', { kind, channels: 'sms', text: TEXT });
    const samples = page.getByRole('button', { name: 'Copy as' });
    const before = await samples.boundingBox();
    answers.resolve();
    await page.getByRole('button', { name: 'Send – 1 credit' }).waitFor();
    expect(await samples.boundingBox()).toEqual(before);
  });

  /** The variables of a sample of curl. */
  const variablesOf = (sample: string): unknown => JSON.parse(/-d '(.*)'\n$/s.exec(sample)?.[1] ?? '').variables;

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
    expect(variablesOf(await clipboard())).toEqual({ input });
  });

  test('a sample holds what was typed, whatever quotes are in it', async () => {
    const text = `it's '''quoted''' and "so on"`;
    await open('/send', { to: '+12025550102', text, channels: 'sms' });
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'Python' }).click();
    expect(await clipboard()).toContain(`"text": ${JSON.stringify(text)},`);
  });

  test('a sample of nothing yet has a number and a text that can be sent', async () => {
    await open('/send', { channels: 'sms' });
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    expect(variablesOf(await clipboard())).toMatchObject({ input: { to: '+12025550100', text: 'Hello' } });
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
    await page.getByRole('link', { name: 'See it on the phone' }).click();
    await page.getByRole('log').waitFor();
    expect([await page.getByRole('navigation', { name: 'Phones' }).isVisible(), await fits()]).toEqual([false, true]);
    await page.getByRole('link', { name: 'All phones' }).click();
    await page.getByRole('navigation', { name: 'Phones' }).getByText(TEXT).first().waitFor();
    expect([await page.getByRole('log').count(), await fits()]).toEqual([0, true]);
  });

  test('breaks no rule of accessibility, in light and in dark', async () => {
    const to = newPhone();
    await open('/send', { to, text: 'It’s here', channels: 'sms,chat_qr' });
    await page.getByText('This character leaves room').waitFor();
    await dryRun().getByText('SMS from DEMO').waitFor();
    await dryRun()
      .getByText('The sandbox takes it: the account has no connection, and none is shared.')
      .first()
      .waitFor();
    await expectAccessible(page);
    await open('/send', { kind: 'otp', to });
    await sendButton().click();
    await page.getByRole('region', { name: 'Passcode', exact: true }).getByText('SMS via sandbox').first().waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'See it on the phone' }).click();
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

    test('says that its own numbers are the sandbox’s, whatever is connected', async () => {
      await open('/send', { to: '+12025550100', text: TEXT });
      await dryRun().getByText('The sandbox takes it: the number is one of its test numbers.').waitFor();
    });

    test('sends what the question was about, whatever was typed before it came', async () => {
      const to = newPhone();
      const [asked, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await open('/send', { to, text: TEXT });
      await dryRun().getByText('First http-sms is asked first.').waitFor();
      await page.route('**/graphql', async (route, request) => {
        if (request.postDataJSON().documentId !== documentIdOf(PreviewSendDocument)) return await route.fallback();
        asked.resolve();
        await answers.promise;
        await route.fallback();
      });
      await page.getByRole('button', { name: 'Send – 1 credit' }).click();
      await asked.promise;
      await box('Text').fill('Another one');
      answers.resolve();
      await page
        .getByRole('dialog', { name: /^Send to / })
        .getByRole('button', { name: 'Send – 1 credit' })
        .click();
      await expect.poll(() => carrier.messages.filter(message => message.to === to.slice(1)).length).toBe(1);
      expect(carrier.messages.find(message => message.to === to.slice(1))?.text).toBe(TEXT);
      await page.unrouteAll({ behavior: 'wait' });
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
      expect(carrier.messages.filter(message => message.to === to.slice(1)).map(({ text }) => text)).toEqual([TEXT]);
      await page.getByRole('link', { name: 'Open in the log' }).waitFor();
      expect(await page.getByRole('link', { name: 'See it on the phone' }).count()).toBe(0);
    });
  });
});
