import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lacksBrowser, launchBrowser } from '../../../support/browser/chromium.ts';
import { lookAt, signedInAsOperator } from '../../../support/browser/people.ts';
import { ask, type DemoGateway, operatorTokenOf, startDemoGateway } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('frame/looks.test.ts'))('the look of the pages', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let operator: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), launchBrowser()]);
    operator = await signedInAsOperator(browser, gateway, text => complaints.push(text));
    await lookAt(gateway.demo.accountId, operator);
  });
  afterAll(async () => {
    await browser?.close();
    expect(complaints).toEqual([]);
  });
  beforeEach(async () => {
    page = await operator.newPage();
    await page.setViewportSize({ width: 1440, height: 900 });
  });
  afterEach(() => page.close());

  const colourOf = (place: Locator, property: string): Promise<string> =>
    place.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

  test('a mark in a box is seen in the dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.goto('webhooks/new');
    const box = page.getByRole('checkbox', { name: 'otp.verified' });
    await box.check();
    const mark = box.locator('xpath=..').locator('svg');
    expect(await colourOf(mark, 'color')).not.toBe(await colourOf(mark, '--ink'));
    expect(await colourOf(mark, 'color')).toBe(await colourOf(page.locator('body'), 'background-color'));
  });

  test('the buttons of a long form are in reach before it is scrolled', async () => {
    await page.goto('connections?new=1');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'SMSC (SMPP)' }).click();
    const [button, form] = await Promise.all([
      dialog.getByRole('button', { name: 'Create connection' }).boundingBox(),
      dialog.boundingBox(),
    ]);
    expect((button?.y ?? Infinity) + (button?.height ?? 0)).toBeLessThanOrEqual((form?.y ?? 0) + (form?.height ?? 0));
  });

  test('the inbox fits the window, on which the page does not scroll', async () => {
    const { demo } = gateway;
    await ask(
      gateway,
      demo.tokens.unified,
      'mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { id } }',
      { input: { phone: '+12025550171', text: 'Hello', to: 'DEMO' } },
    );
    await page.goto('inbox/12025550171');
    await page.getByRole('textbox', { name: 'Answer' }).waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(900);
  });

  test('the name of a sandboxed account is not cut', async () => {
    const { createAccount } = await ask<{ createAccount: { accountId: string } }>(
      gateway,
      await operatorTokenOf(gateway),
      'mutation { createAccount(input: { name: "Northern parcels" }) { accountId } }',
    );
    await page.goto('#choose');
    await page.getByRole('row').filter({ hasText: 'Northern parcels' }).click();
    const name = page.getByRole('button', { name: /^Northern parcels/ }).locator('strong');
    await name.waitFor();
    expect(await name.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    expect(createAccount.accountId).toMatch(/^acc_/);
  });

  test('the samples of errors in the documentation are at the address of the page', async () => {
    await page.goto('/docs');
    await page.getByRole('heading', { name: 'Errors' }).first().waitFor();
    expect(await page.getByRole('main').textContent()).not.toContain('http://127.0.0.1:4000');
  });
});
