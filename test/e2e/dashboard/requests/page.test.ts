import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { signedInAs } from '../../../support/browser/people.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { ask, send, until } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('requests/page.test.ts'))('the page Requests', () => {
  const { gateway, browser, page, complain } = setUpPages({ loadsAll: true });
  let requestId: string;
  beforeAll(async () => {
    const { tokens } = gateway.demo;
    const refused = await send(gateway, tokens.unified, { sender: 'NOBODY' });
    requestId = refused.headers.get('x-request-id') ?? '';
    await send(gateway, tokens.unified, { to: 'nobody' });
    const query = '{ requests { nodes { id } } }';
    await until('what was refused is stored', async () => {
      const { requests } = await ask<{ requests: { nodes: unknown[] } }>(gateway, tokens.management, query);
      return requests.nodes.length === 2 ? true : null;
    });
  });

  const rows = () => page.getByRole('table', { name: 'Requests' }).locator('tbody tr');
  const search = () => Object.fromEntries(new URL(page.url()).searchParams);

  test('lists what was refused, and keeps its filter in the URL', async () => {
    await page.goto('requests');
    await expect.poll(() => rows().count()).toBeGreaterThan(1);
    await page.getByRole('textbox', { name: 'Code' }).fill('sender_not_approved');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().count()).toBe(1);
    await rows().getByText('The sender is not approved.').waitFor();
    expect(search()).toEqual({ code: 'sender_not_approved' });
    await page.reload();
    await expect.poll(() => rows().count()).toBe(1);
  });

  test('shows the details of a request, which lead to its error', async () => {
    await page.goto(`requests?requestId=${requestId}`);
    await rows().first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('POST /api/omni/send').waitFor();
    await dialog.getByText('The sender is not approved.').waitFor();
    await dialog.getByRole('link', { name: 'sender_not_approved' }).click();
    await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor();
    expect(new URL(page.url()).hash).toBe('#sender_not_approved');
    await page.getByRole('main').getByRole('link', { name: 'Requests', exact: true }).click();
    await expect.poll(() => rows().count()).toBeGreaterThan(1);
  });

  test('shows what is refused while it is open', async () => {
    await page.goto('requests?code=wrong_area');
    await page.getByRole('heading', { name: 'No request passes the filter' }).waitFor();
    await send(gateway, gateway.demo.tokens.otp);
    await expect.poll(() => rows().count(), { timeout: 60_000 }).toBe(1);
  }, 90_000);

  test('keeps the open request that newer ones push off the list, and says of its link where it is', async () => {
    const refuse = () => send(gateway, gateway.demo.tokens.unified, { to: 'nobody' });
    const id = (await refuse()).headers.get('x-request-id') ?? '';
    await page.goto('requests');
    // Behind the dialog rows have no role.
    const row = page.locator('[aria-label="Requests"] tbody tr').filter({ hasText: id });
    await row.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('POST /api/omni/send').waitFor();
    await Promise.all(Array.from({ length: 51 }, refuse));
    await expect.poll(() => row.count()).toBe(0);
    expect(await dialog.count()).toBe(1);
    await page.reload();
    await page.getByText('The request of this link is not among those below.').waitFor();
  });

  test('offers the times alone that are kept', async () => {
    await page.goto('requests');
    await page.getByRole('combobox', { name: 'Time' }).click();
    await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Last 24 hours', 'Last 7 days']);
  });

  test('breaks no number over two lines', async () => {
    await page.goto('requests');
    await expect.poll(() => rows().count()).toBeGreaterThan(1);
    const breaks = rows()
      .locator('td[data-head="Took"]')
      .first()
      .evaluate(cell => getComputedStyle(cell).whiteSpace);
    expect(await breaks).toBe('nowrap');
  });

  test('is what an X-Request-Id in the palette leads to', async () => {
    await page.goto('errors');
    await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, or paste an id').fill(requestId);
    await page
      .getByRole('option', { name: `Request ${requestId}` })
      .or(page.getByText(`Request ${requestId}`))
      .first()
      .click();
    await expect.poll(() => rows().count()).toBe(1);
    expect(search()).toEqual({ requestId });
  });

  test('has accepted requests kept by a switch, which a viewer only sees', async () => {
    await page.goto('requests');
    const keep = (on: Page) => on.getByRole('switch', { name: 'Keep accepted requests too' });
    await keep(page).click();
    await expect.poll(() => keep(page).isChecked()).toBe(true);
    const viewer = await (await signedInAs('VIEWER', browser, gateway, complain)).newPage();
    await viewer.goto('requests');
    await expect.poll(() => keep(viewer).isChecked()).toBe(true);
    expect(await keep(viewer).isDisabled()).toBe(true);
    await viewer.close();
  });
});
