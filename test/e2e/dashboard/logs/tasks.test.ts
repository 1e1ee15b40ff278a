import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
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

  test('a failed message is found by its number and sent again', async () => {
    await send(gateway, gateway.demo.tokens.unified, { to: REFUSED });
    const support = await signedInAs('SUPPORT', browser, gateway, complain);
    await turnTo(await support.newPage());
    await page.goto('');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    const search = page.getByRole('dialog').getByRole('textbox');
    await search.fill(REFUSED);
    await page
      .getByRole('button', { name: /^What went to/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await click(rows().filter({ hasText: 'failed' }).first());
    const story = page.getByRole('dialog', { name: 'Message' });
    await click(story.getByRole('button', { name: 'Send again' }));
    const question = page.getByRole('dialog', { name: 'Send again' });
    await click(question.getByRole('button', { name: 'Send again' }));
    await question.waitFor({ state: 'detached' });
    await page.waitForURL(/open=msg_/);
    expect(clicks).toBeLessThanOrEqual(3);
    await support.close();
  });

  test('what failed by a provider yesterday is shown', async () => {
    for (const to of [REFUSED, newPhone()]) await send(gateway, gateway.demo.tokens.unified, { to });
    await page.goto('');
    const routes = page.getByRole('table', { name: 'Delivery by connection and country' });
    await click(routes.locator('tbody tr').filter({ hasText: 'sandbox' }).first().locator('td[data-head="Failed"] a'));
    await rows().first().waitFor();
    await click(page.getByRole('button', { name: 'Remove the filter time' }));
    // A choice in a list of the browser is one.
    clicks += 1;
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Yesterday');
    await page.waitForURL(/span=yesterday/);
    const shown = Object.fromEntries(new URL(page.url()).searchParams);
    expect(shown).toMatchObject({ status: 'FAILED,EXPIRED', provider: 'sandbox', view: 'attempts', span: 'yesterday' });
    expect(clicks).toBeLessThanOrEqual(3);
  });
});
