import { describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../../src/dashboard/app/api/ask.ts';
import { SendPageDocument } from '../../../../src/dashboard/app/api/operations.generated.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { signedInAs } from '../../../support/browser/people.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { ask, send } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('region.test.ts'))('times and numbers', () => {
  const { gateway, browser, page, complain } = setUpPages({ window: { timezoneId: 'Asia/Kolkata' } });

  const zoneButton = () => page.getByRole('button', { name: /^Times in / });

  async function choose(zone: RegExp): Promise<void> {
    await zoneButton().click();
    await page.getByRole('menuitem', { name: zone }).click();
  }

  /** Sends a message, and answers when its attempt began. */
  async function sent(to: string): Promise<string> {
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to });
    const { logs } = await ask<{ logs: { nodes: { createdAt: string }[] } }>(
      gateway,
      gateway.demo.tokens.unified,
      'query ($id: String!) { logs(filter: { messageId: $id }) { nodes { createdAt } } }',
      { id: body.data?.messageId },
    );
    return logs.nodes[0]?.createdAt ?? '';
  }

  test('a time is shown in the zone of the browser, and in UTC where that is chosen, after a reload too', async () => {
    const to = newPhone();
    const at = await sent(to);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    const entry = page.getByRole('list', { name: 'Log entries' }).getByRole('button');
    const local = new Date(Date.parse(at) + 5.5 * 3_600_000).toISOString().slice(11, 23);
    await entry.getByText(local).waitFor();
    await page.locator('figcaption').getByText('GMT+5:30').waitFor();
    expect(await zoneButton().innerText()).toBe('Times in GMT+5:30');
    await choose(/^UTC/);
    await entry.getByText(at.slice(11, 23)).waitFor();
    await page.locator('figcaption').getByText('UTC').waitFor();
    await page.reload();
    await entry.getByText(at.slice(11, 23)).waitFor();
  });

  test('a day of the log is that of the zone, as soon as another one is chosen', async () => {
    const from = (midnight: string) =>
      page.waitForRequest(request => {
        const { documentId, variables } = request.postDataJSON() ?? {};
        return documentId === documentIdOf(SendPageDocument) && variables.filter.from.endsWith(midnight);
      });
    const local = from('T18:30:00.000Z');
    await page.goto('logs?span=today');
    await local;
    const utc = from('T00:00:00.000Z');
    await choose(/^UTC/);
    await utc;
  });

  test('the zone of the account is set on its page, and can be chosen', async () => {
    await page.goto('account');
    await page.getByRole('button', { name: 'Change region' }).click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await page.getByRole('combobox', { name: 'Country' }).fill('Swed');
    await page.getByRole('option', { name: 'Sweden' }).click();
    await page.getByRole('button', { name: 'Save region' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('Asia/Tokyo').first().waitFor();
    await page.getByText('Sweden').waitFor();
    await choose(/^Time of the account/);
    await expect.poll(() => zoneButton().innerText()).toBe('Times in GMT+9');
  });

  test('a viewer is offered no change of the region', async () => {
    const theirs = await signedInAs('VIEWER', browser, gateway, complain);
    const seen = await theirs.newPage();
    await seen.goto('account?act=region');
    await seen.getByText('You cannot change the region').waitFor();
    expect(await seen.getByRole('button', { name: 'Change region' }).count()).toBe(0);
    await theirs.close();
  });

  test.each([
    ['+447700900123', '+44 7700 900123'],
    ['+4915735980000', '+49 1573 5980000'],
    ['+33639980110', '+33 6 39 98 01 10'],
    ['+12025550199', '+1 202 555 0199'],
  ])('%s is grouped as its country does, and not cut', async (to, shown) => {
    await sent(to);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    const number = page.getByRole('list', { name: 'Log entries' }).getByText(shown, { exact: true }).first();
    await number.waitFor();
    expect(await number.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  test('on a phone each value of a table says what it is', async () => {
    await sent('+12025550101');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('');
    const cells = page.getByRole('table', { name: 'What fails', includeHidden: true }).locator('tbody td');
    await cells.first().waitFor();
    const labels = await cells.evaluateAll(all =>
      all.map(cell => getComputedStyle(cell, '::before').content.replaceAll('"', '')),
    );
    expect(labels).toEqual(expect.arrayContaining(['Over', 'To', 'Count', 'Yesterday']));
  });
});
