import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { lookAt, signedInAsOperator } from '../../../support/browser/people.ts';
import { signedIn } from '../../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { ask, type DemoGateway, operatorTokenOf, startDemoGateway, TEXT } from '../../../support/processes/gateway.ts';
import { connectTemplates, utilityTemplate } from '../../../support/whatsapp/connected.ts';
import { OTP_TEMPLATE } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';

describe.skipIf(lacksBrowser('templates/page.test.ts'))('the page of templates', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let graph: Graph;
  let connectionId: string;
  let owner: BrowserContext;
  let operator: BrowserContext;
  const complaints: string[] = [];
  const complain = (text: string) => void (/^Failed to load resource/.test(text) || complaints.push(text));

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), openBrowser()]);
    owner = await signedIn(browser, gateway, complain);
    operator = await signedInAsOperator(browser, gateway, complain);
    await lookAt(gateway.demo.accountId, operator);
  });
  afterAll(async () => {
    await closeWindows();
    expect(complaints).toEqual([]);
  });

  beforeEach(async () => {
    const paused = utilityTemplate('order_late', { language: 'de', status: 'PAUSED' });
    graph = await new Graph({ templates: [OTP_TEMPLATE, utilityTemplate('order_sent'), paused] }).open();
    connectionId = await connectTemplates(gateway, graph);
  });
  afterEach(async () => {
    await disconnect();
    await graph.close();
  });

  async function disconnect(): Promise<void> {
    const remove = 'mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }';
    if (connectionId !== '') await ask(gateway, await operatorTokenOf(gateway), remove, { id: connectionId });
    connectionId = '';
  }

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
  const table = (page: Page) => page.getByRole('table', { name: 'Templates' });

  test('says what is missing', async () => {
    await disconnect();
    const page = await takeTab(owner);
    await page.goto('templates');
    await page.getByRole('heading', { name: 'No connection has templates' }).waitFor();
    await leaveTab(page);
  });

  test('lists what there is, and narrows it by status and name', async () => {
    const page = await takeTab(owner);
    await page.goto('');
    await page.getByRole('link', { name: 'Templates' }).click();
    await table(page).getByText('order_sent').waitFor();
    await table(page).getByText('*{{1}}* is your verification code.').waitFor();
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'paused' }).click();
    await expect.poll(() => table(page).locator('tbody tr').count()).toBe(1);
    await table(page).getByText('order_late').waitFor();
    expect(await table(page).getByText('paused', { exact: true }).getAttribute('style')).toContain('var(--unknown)');
    await page.goto('templates?name=otp');
    await expect.poll(() => table(page).locator('tbody tr').count()).toBe(1);
    expect(await button(page, /^(Synchronise|Create)/).count()).toBe(0);
    await leaveTab(page);
  });

  test('lets the operator synchronise, and make a template for passcodes', async () => {
    const page = await takeTab(operator);
    await page.goto('templates');
    await button(page, 'Synchronise now').click();
    await page.getByText('There are 3 templates.').waitFor();
    await button(page, 'Create passcode template').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Sign in');
    await button(page, 'Create template').click();
    await dialog.getByText('must have 1 to 512 small letters, digits or _').waitFor();
    await dialog.getByLabel('Name').fill('otp_code');
    await button(page, 'Create template').click();
    await dialog.getByRole('alert').getByText('Meta refused it with its error 100').waitFor();
    await dialog.getByLabel('Name').fill('sign_in');
    await button(page, 'Create template').click();
    await table(page).getByText('sign_in').waitFor();
    await table(page).getByText('not told yet').waitFor();
    await leaveTab(page);
  });

  test('the composer completes names, and shows how the text will look', async () => {
    const page = await takeTab(owner);
    await page.goto('send?channels=chat_cloud');
    await page.getByRole('combobox', { name: 'Template' }).fill('order_l');
    await page.getByRole('option', { name: 'order_late' }).click();
    expect(await page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('de');
    const look = page.getByLabel('The text of the template');
    await look.getByText('Your order {{1}} is on its way.').waitFor();
    await look.getByText('paused').waitFor();
    await page.getByLabel('Components, as JSON').fill('[{"type":"body","parameters":[{"type":"text","text":"1042"}]}]');
    await look.getByText('Your order 1042 is on its way.').waitFor();

    await page.getByRole('tab', { name: 'One-time passcode' }).click();
    await page.getByRole('combobox', { name: 'Template' }).fill('');
    await page.getByRole('combobox', { name: 'Template' }).click();
    await page.getByRole('option', { name: 'otp_code' }).click();
    await look.getByText('*123456* is your verification code.').waitFor();
    await leaveTab(page);
  });

  test('the composer completes a name behind more than a page of others', async () => {
    await disconnect();
    const many = Array.from({ length: 210 }, (_, index) => utilityTemplate(`news_${String(index).padStart(3, '0')}`));
    const full = await new Graph({ templates: [...many, utilityTemplate('welcome', { language: 'de' })] }).open();
    connectionId = await connectTemplates(gateway, full);
    const page = await takeTab(owner);
    await page.goto('send?channels=chat_cloud');
    for (const [typed, name] of [
      ['news_20', 'news_209'],
      ['wel', 'welcome'],
    ] as const) {
      await page.getByRole('combobox', { name: 'Template' }).fill(typed);
      await page.getByRole('option', { name }).click();
    }
    expect(await page.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('de');
    await leaveTab(page);
    await full.close();
  });

  /** Names the template that is paused, and waits for its text and its status. */
  async function complete(within: Page | Locator, page: Page, name: string): Promise<void> {
    await within.getByRole('combobox', { name }).fill('order_l');
    await page.getByRole('option', { name: 'order_late' }).click();
    expect(await within.getByRole('combobox', { name: 'Language' }).inputValue()).toBe('de');
    const look = within.getByLabel('The text of the template');
    await look.getByText('Your order {{1}} is on its way.').waitFor();
    await look.getByText('paused').waitFor();
  }

  test('an answer in the inbox completes them, too', async () => {
    const page = await takeTab(owner);
    const number = await askForTemplates(true);
    const phone = newPhone();
    await write(phone, number);
    await page.goto(`inbox/${phone.slice(1)}`);
    const form = page.getByRole('form', { name: 'Answer' });
    await form.getByRole('textbox', { name: 'Answer' }).fill(TEXT);
    await complete(form, page, 'Template');
    await leaveTab(page);
  });

  test('an auto-reply completes them, and keeps the one that was chosen', async () => {
    const page = await takeTab(owner);
    await page.goto('replies?new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Keyword').fill('late');
    await dialog.getByLabel('Answer').fill('It is late.');
    await complete(dialog, page, 'Template by cloud chat');
    await dialog.getByRole('button', { name: 'Add auto-reply' }).click();
    await page.getByRole('table', { name: 'Auto-replies' }).getByText('order_late (de)').waitFor();
    await leaveTab(page);
  });

  test('the template of a number is completed from those for codes', async () => {
    const page = await takeTab(operator);
    await page.goto('senders');
    await button(page, /^Set template of/).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Template' }).fill('o');
    await page.getByRole('option', { name: 'otp_code' }).click();
    expect(await page.getByRole('option').count()).toBe(0);
    await dialog.getByText('*123456* is your verification code.').waitFor();
    await dialog.getByRole('button', { name: 'Save template' }).click();
    await page.getByRole('table', { name: 'Chat numbers' }).getByText('otp_code (en_US)').waitFor();
    await leaveTab(page);
  });

  test('the composer says until when free text goes, and to whom none does', async () => {
    const page = await takeTab(owner);
    const number = await askForTemplates(false);
    const phone = newPhone();
    await write(phone, number);
    await page.goto('send?channels=chat_cloud');
    await page.getByRole('textbox', { name: 'To' }).fill(phone);
    await page.getByLabel('Text', { exact: true }).fill(TEXT);
    await page.getByText(/^Free text until \d.+, \d\d:\d\d .+\.$/).waitFor();
    await page.getByRole('textbox', { name: 'To' }).fill(newPhone());
    await page.getByText('They have not written for 24 hours: a template is needed.', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Template' }).fill('order_sent');
    await page.getByText('Cloud whatsapp-cloud is asked first.').waitFor();
    await page.getByText('They have not written for 24 hours: a template is needed.', { exact: true }).waitFor();
    await leaveTab(page);
  });

  /** Lets the cloud number take templates only, or free text within the hours. Answers the number. */
  async function askForTemplates(isRequired: boolean): Promise<string> {
    const { accountId, tokens } = gateway.demo;
    const { senders } = await ask<{ senders: { name: string; channel: string }[] }>(
      gateway,
      tokens.management,
      '{ senders { name channel } }',
    );
    const address = senders.find(({ channel }) => channel === 'CHAT_CLOUD')?.name ?? '';
    const rule = 'mutation ($input: SetTemplateRequiredInput!) { setTemplateRequired(input: $input) { id } }';
    await ask(gateway, await operatorTokenOf(gateway), rule, { input: { accountId, address, isRequired } });
    return address;
  }

  /** Writes from a phone of the sandbox, which stands in while nothing is connected. */
  async function write(phone: string, to: string): Promise<void> {
    await disconnect();
    const reply =
      'mutation ($phone: String!, $to: String!, $text: String!) { sandboxReply(input: { phone: $phone, to: $to, text: $text }) { id } }';
    await ask(gateway, gateway.demo.tokens.unified, reply, { phone, to: `+${to}`, text: TEXT });
    connectionId = await connectTemplates(gateway, graph);
  }
});
