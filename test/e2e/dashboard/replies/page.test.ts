import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { signedInAs } from '../../../support/browser/people.ts';
import { signedIn } from '../../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { ask, type DemoGateway, startDemoGateway, until } from '../../../support/processes/gateway.ts';

const PHONE = '+12025550143';

describe.skipIf(lacksBrowser('replies/page.test.ts'))('the page of replies', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  const complaints: string[] = [];
  const complain = (text: string) => void (/^Failed to load resource/.test(text) || complaints.push(text));

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), openBrowser()]);
    context = await signedIn(browser, gateway, complain);
  });
  afterAll(async () => {
    await closeWindows();
    expect(complaints).toEqual([]);
  });

  const manage = <Data>(query: string) => ask<Data>(gateway, gateway.demo.tokens.management, query);

  beforeEach(async () => {
    const { autoReplies } = await manage<{ autoReplies: { keyword: string }[] }>('{ autoReplies { keyword } }');
    for (const { keyword } of autoReplies)
      await manage(`mutation { removeAutoReply(keyword: "${keyword}") { keyword } }`);
  });

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const table = (page: Page) => page.getByRole('table', { name: 'Auto-replies' });

  /** Writes from a phone, and answers what it has then got. */
  const write = async (text: string, answer: string): Promise<void> => {
    const { unified } = gateway.demo.tokens;
    const reply =
      'mutation ($phone: String!, $text: String!) { sandboxReply(input: { phone: $phone, to: "DEMO", text: $text }) { id } }';
    await ask(gateway, unified, reply, { phone: PHONE, text });
    await until('the phone got the answer', async () => {
      const query = 'query ($to: String!) { sandboxMessages(to: $to) { text } }';
      const { sandboxMessages } = await ask<{ sandboxMessages: { text: string }[] }>(gateway, unified, query, {
        to: PHONE,
      });
      return sandboxMessages.some(message => message.text === answer) ? true : null;
    });
  };

  test('adds an answer, which goes to who writes the keyword, changes it, and removes it', async () => {
    const page = await takeTab(context);
    await page.goto('');
    await page.getByRole('link', { name: 'Replies' }).click();
    await page.getByRole('heading', { name: 'No auto-reply yet' }).waitFor();
    await button(page, 'Add auto-reply').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Keyword').fill('hours');
    await dialog.getByLabel('Answer').fill('From 9 to 18.');
    await dialog.getByRole('button', { name: 'Add auto-reply' }).click();
    await table(page).getByText('HOURS').waitFor();
    await write('Hours?', 'From 9 to 18.');

    await button(page, 'Edit HOURS').click();
    expect(await dialog.getByLabel('Keyword').getAttribute('readonly')).not.toBeNull();
    await dialog.getByLabel('Answer').fill('Closed today.');
    await dialog.getByRole('combobox', { name: 'Template by cloud chat' }).fill('closed');
    await dialog.getByRole('combobox', { name: 'Language' }).fill('en_US');
    await button(page, 'Save answer').click();
    await table(page).getByText('Closed today.').waitFor();
    await table(page).getByText('closed (en_US)').waitFor();

    await button(page, 'Remove HOURS').click();
    await button(page, 'Remove answer').click();
    await page.getByRole('heading', { name: 'No auto-reply yet' }).waitFor();
    await leaveTab(page);
  });

  test('shows each fault at its input', async () => {
    const page = await takeTab(context);
    await page.goto('replies?new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Keyword').fill('stop');
    await dialog.getByLabel('Answer').fill('No.');
    await dialog.getByRole('button', { name: 'Add auto-reply' }).click();
    await dialog.getByText('is a word that stops, starts or helps').waitFor();
    await leaveTab(page);
  });

  test('changes the words and texts of stop and help, and says which keyword is none any more', async () => {
    const page = await takeTab(context);
    await page.goto('replies?new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Keyword').fill('basta');
    await dialog.getByLabel('Answer').fill('Enough?');
    await dialog.getByRole('button', { name: 'Add auto-reply' }).click();
    await table(page).getByText('BASTA').waitFor();

    await button(page, 'Change words and texts').click();
    await dialog.getByLabel('Your words that stop').fill('halt, !, basta');
    await button(page, 'Save words and texts').click();
    await dialog.getByText('Word 2: must be a word').waitFor();
    await dialog.getByLabel('Your words that stop').fill('halt, basta');
    await dialog.getByLabel('Answers HELP and INFO').fill('Write HOURS.');
    await dialog.getByRole('switch').check();
    await button(page, 'Save words and texts').click();
    await page.getByText('STOP and its like, HALT, BASTA').waitFor();
    await page.getByText('are not sent', { exact: true }).waitFor();
    await table(page).getByText('not answered: it is a word that stops or starts').waitFor();
    await write('help', 'Write HOURS.');

    // Saved texts show again, and emptied ones are gone.
    await page.reload();
    await button(page, 'Change words and texts').click();
    expect(await dialog.getByLabel('Answers HELP and INFO').inputValue()).toBe('Write HOURS.');
    await dialog.getByLabel('Answers HELP and INFO').fill('');
    await dialog.getByLabel('Your words that stop').fill('');
    await button(page, 'Save words and texts').click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('Write HOURS.').count()).toBe(0);
    expect(await table(page).getByText('not answered').count()).toBe(0);
    await leaveTab(page);
  });

  test('offers a viewer nothing to change', async () => {
    await manage('mutation { setAutoReply(input: { keyword: "price", text: "See our list." }) { keyword } }');
    const viewer = await signedInAs('VIEWER', browser, gateway, complain);
    const page = await viewer.newPage();
    await page.goto('replies?new=1');
    await page.getByText('You cannot change replies').waitFor();
    await table(page).getByText('PRICE').waitFor();
    expect(await button(page, /^(Add|Edit|Remove|Change)/).count()).toBe(0);
    await viewer.close();
  });
});
