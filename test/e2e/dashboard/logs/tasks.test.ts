import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible } from '../../../support/browser/accessible.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { signedInAs } from '../../../support/browser/people.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { send } from '../../../support/processes/gateway.ts';

/** Refused by the sandbox over SMS. */
const REFUSED = '+12025550101';

describe.skipIf(lacksBrowser('tasks.test.ts'))('what people do all day takes three clicks from the overview', () => {
  const { gateway, browser, page, complain, turnTo } = setUpPages();

  let clicks = 0;
  beforeEach(() => {
    clicks = 0;
  });

  async function click(what: Locator): Promise<void> {
    clicks += 1;
    await what.click();
  }

  const rows = () => page.getByRole('list', { name: 'Log entries' }).getByRole('button');

  const toFailures = () =>
    page
      .getByRole('table', { name: 'What fails' })
      .locator('tbody tr')
      .filter({ hasText: 'recipient_refused' })
      .locator('td[data-head="Count"] a')
      .first();

  /** Types the number behind the button that searches. */
  async function searchNumber(): Promise<void> {
    await click(page.getByRole('button', { name: 'Search' }));
    await page.getByRole('dialog').getByRole('textbox').fill(REFUSED);
    await page
      .getByRole('button', { name: /^What went to/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
  }

  test.each([
    ['by its number', searchNumber],
    ['among what fails, by the mouse alone', () => click(toFailures())],
  ])('a failed message is found %s, and sent again', async (_how, find) => {
    await send(gateway, gateway.demo.tokens.unified, { to: REFUSED });
    const support = await signedInAs('SUPPORT', browser, gateway, complain);
    await turnTo(await support.newPage());
    await page.goto('');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await find();
    const row = page.getByRole('list', { name: 'Log entries' }).getByRole('listitem').filter({ hasText: 'failed' });
    await row.first().hover();
    await row.first().getByRole('link').waitFor();
    await expectAccessible(page);
    await row.first().hover();
    await click(row.first().getByRole('link', { name: /^Send again to/ }));
    const question = page.getByRole('dialog', { name: 'Send again' });
    await question.getByText('By SMS it costs up to 1 credit.').waitFor();
    const failed = new URL(page.url()).searchParams.get('open');
    await click(question.getByRole('button', { name: 'Send again' }));
    await question.waitFor({ state: 'detached' });
    await page.waitForURL(
      url => /^msg_/.test(String(url.searchParams.get('open'))) && !url.search.includes(`${failed}`),
    );
    expect(clicks).toBeLessThanOrEqual(3);
    await support.close();
  });

  test('what failed by a provider yesterday is shown by the mouse alone', async () => {
    for (const to of [REFUSED, newPhone()]) await send(gateway, gateway.demo.tokens.unified, { to });
    await page.goto('');
    const routes = page.getByRole('table', { name: 'Delivery by connection and country' });
    await click(routes.locator('tbody tr').filter({ hasText: 'sandbox' }).first().locator('td[data-head="Failed"] a'));
    await rows().first().waitFor();
    // One opens the list of the browser, and one chooses.
    clicks += 2;
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Yesterday');
    await page.waitForURL(/span=yesterday/);
    const shown = Object.fromEntries(new URL(page.url()).searchParams);
    expect(shown).toMatchObject({ status: 'FAILED,EXPIRED', provider: 'sandbox', view: 'attempts', span: 'yesterday' });
    expect([shown.from, shown.to]).toEqual([undefined, undefined]);
    expect(clicks).toBeLessThanOrEqual(3);
  });
});
