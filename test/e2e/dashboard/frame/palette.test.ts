import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { newId } from '../../../../src/kernel/ids.ts';
import { expectAccessible } from '../../../support/browser/accessible.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { signedInAs } from '../../../support/browser/people.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { signedIn } from '../../../support/browser/signed-in.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { ask, send } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('palette.test.ts'))('the palette', () => {
  const { gateway, browser, page, turnTo, complain } = setUpPages();

  const input = (on: Page = page) => on.getByPlaceholder('A page, or paste an id');
  const option = (name: string | RegExp, on: Page = page) => on.getByRole('dialog').getByRole('button', { name });

  /** Types words into the palette. */
  async function say(words: string, on: Page = page): Promise<void> {
    await on.getByRole('heading', { level: 1 }).waitFor();
    await on.keyboard.press('Control+k');
    await input(on).fill(words);
  }

  async function setCountry(country: string | null): Promise<void> {
    const query = 'mutation ($input: UpdateRegionInput!) { updateRegion(input: $input) { country } }';
    await ask(gateway, gateway.demo.tokens.management, query, { input: { country } });
  }

  test('takes what is typed while it loads', async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/assets/palette-*.js', async route => {
      await held.promise;
      await route.continue();
    });
    await page.goto('credits');
    await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('sendx');
    await page.keyboard.press('Backspace');
    held.resolve();
    await input().waitFor();
    await expect.poll(() => input().inputValue()).toBe('send');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/send$/);
  });

  test('goes on taking keys where its own key is pressed again', async () => {
    await page.goto('credits');
    await say('log');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('xyz');
    await expect.poll(() => input().inputValue()).toBe('logxyz');
  });

  test('leads to the conversation with a person by the id', async () => {
    const id = newId('prs');
    await page.goto('credits');
    await say(id);
    await option(`Conversation ${id}`).click();
    await page.waitForURL(`**/inbox/${id}`);
  });

  test('is loaded before it is opened', async () => {
    await turnTo(await (await signedIn(browser, gateway, complain)).newPage());
    const loaded = page.waitForResponse(/\/assets\/palette-.*\.js$/);
    await page.goto('errors');
    expect((await loaded).ok()).toBe(true);
  });

  test('names its key as the keyboard of the machine does', async () => {
    await page.goto('errors');
    expect(await page.getByRole('button', { name: 'Search' }).innerText()).toContain('Ctrl K');
  });

  test('does what a command says', async () => {
    await turnTo(await (await signedIn(browser, gateway, complain)).newPage());
    await page.goto('credits');
    await say('dark');
    await option('Reference dark').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await say('create token');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').locator('button[type=submit]', { hasText: 'Create token' }).waitFor();
    await page.keyboard.press('Escape');
    await say('sign out');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sign-in/);
  });

  test.each(['recipient_refused', 'otp_expired', 'recipient refused'])('leads from %s to what it says', async code => {
    await page.goto('credits');
    await say(code);
    await option(/What this error says/)
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.pathname.endsWith('/errors') && url.hash === `#${code.replace(' ', '_')}`);
  });

  test('reads a national number by the country of the account, and asks for it where there is none', async () => {
    await setCountry('US');
    await page.goto('credits');
    await say('202 555 0104');
    await option('What went to +1 202 555 0104 (United States)').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.searchParams.get('recipient') === '+12025550104');
    await setCountry(null);
    const elsewhere = await signedIn(browser, gateway, complain, { locale: 'eo' });
    const asked = await elsewhere.newPage();
    await asked.goto('credits');
    await say('202 555 0104', asked);
    await option('Of which country is it?', asked).waitFor();
    await expectAccessible(asked);
    await asked.keyboard.press('Enter');
    await asked.getByRole('dialog').getByRole('combobox', { name: 'Country' }).waitFor();
    await elsewhere.close();
  });

  test('finds the messages of a number by its last four digits', async () => {
    await send(gateway, gateway.demo.tokens.unified, { to: '+447700904711' });
    await page.goto('credits');
    await say('4711');
    await option('What went to +44 7700 904711').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.searchParams.get('recipient') === '447700904711');
  });

  test.each([
    [
      'message',
      'mutation ($to: String!) { sent: sendMessage(input: {to: $to, text: "Hi", channels: [SMS], sender: "DEMO"}) { id: messageId } }',
    ],
    ['passcode', 'mutation ($to: String!) { sent: sendOtp(input: {to: $to, channels: [SMS]}) { id: pinId } }'],
  ])('leads from an attempt to its %s', async (_of, mutation) => {
    const { unified } = gateway.demo.tokens;
    const to = newPhone();
    const { sent } = await ask<{ sent: { id: string } }>(gateway, unified, mutation, { to });
    const entries = 'query ($to: String) { logs(filter: {recipient: $to}) { nodes { id } } }';
    const { logs } = await ask<{ logs: { nodes: { id: string }[] } }>(gateway, unified, entries, { to });
    const attemptId = String(logs.nodes[0]?.id);
    await page.goto('credits');
    await say(attemptId);
    await option(`Attempt ${attemptId}`).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.searchParams.get('attemptId') === attemptId);
    const rows = page.getByRole('list', { name: 'Log entries' }).getByRole('button');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('figure').locator('rect').first().waitFor();
    await rows.click();
    await page.waitForURL(url => url.searchParams.get('open') === sent.id);
  });

  test('looks for no number of a viewer', async () => {
    await send(gateway, gateway.demo.tokens.unified, { to: '+447700904712' });
    const theirs = await signedInAs('VIEWER', browser, gateway, complain);
    const seen = await theirs.newPage();
    const asked: string[] = [];
    seen.on('request', request => void (/endingWith/.test(request.postData() ?? '') && asked.push(request.url())));
    await seen.goto('credits');
    await say('4712', seen);
    await option('Reference 4712', seen).waitFor();
    await seen.keyboard.press('Enter');
    await seen.waitForURL(/reference=4712/);
    expect(asked).toEqual([]);
    await theirs.close();
  });
});
