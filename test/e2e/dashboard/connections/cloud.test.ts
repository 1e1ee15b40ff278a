import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible, expectNoViolations } from '../../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { lookAt, signedInAsOperator } from '../../../support/browser/people.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { ask, type DemoGateway, operatorTokenOf, startDemoGateway } from '../../../support/processes/gateway.ts';
import { connectTemplates, graphConfig } from '../../../support/whatsapp/connected.ts';
import { GRAPH_NUMBER } from '../../../support/whatsapp/defaults.ts';
import { Graph } from '../../../support/whatsapp/graph.ts';

const FIELDS = { quality_rating: 'YELLOW', whatsapp_business_manager_messaging_limit: 'TIER_2K' };

describe.skipIf(lacksBrowser('connections/cloud.test.ts'))('a connection of WhatsApp Cloud', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let graph: Graph;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), openBrowser()]);
    context = await signedInAsOperator(browser, gateway, text => complaints.push(text));
    await lookAt(gateway.demo.accountId, context);
    graph = await new Graph({ numbers: [{ ...GRAPH_NUMBER, fields: FIELDS }] }).open();
  });
  afterAll(async () => {
    await closeWindows();
    await graph?.close();
    expect(complaints).toEqual([]);
  });
  beforeEach(async () => {
    page = await takeTab(context);
  });
  afterEach(() => leaveTab(page));

  const dialog = () => page.getByRole('dialog');
  const input = (name: string) => dialog().getByRole('textbox', { name, exact: true });
  const isAtFault = (name: string) => input(name).getAttribute('aria-invalid');
  const tryIt = () => dialog().getByRole('button', { name: 'Test before saving' }).click();
  const connections = async () =>
    await ask<{ connections: { connectionId: string; quota: object | null }[] }>(
      gateway,
      await operatorTokenOf(gateway),
      'query ($id: String) { connections(accountId: $id) { connectionId quota { used } } }',
      { id: gateway.demo.accountId },
    );

  /** Fills the form of a new one, as the fake would take it. */
  async function fill(): Promise<void> {
    const config = graphConfig(graph);
    await page.goto('connections?new=1');
    await dialog().getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'WhatsApp Cloud' }).click();
    await input('Name').fill('Cloud');
    await input('Phone number ID').fill(config.phoneNumberId);
    await input('Access token').fill(config.accessToken);
    await input('App secret').fill(config.appSecret);
    await input('Verify token').fill(config.verifyToken);
    await input('Business account ID').fill(config.businessAccountId);
    await dialog().getByText('Fine tuning').click();
    await input('Base URL').fill(config.baseUrl);
  }

  test('tells the number, its name, its quality and its limit before it is saved', async () => {
    await fill();
    await tryIt();
    await dialog()
      .getByText(
        'Meta knows the number +15550000002, Heliograph. Its quality is yellow. The business may write first to 2,000 people within 24 hours.',
      )
      .waitFor();
    await expectAccessible(page);
  });

  test.each([
    ['Access token', 'EAAG-another-one', 'Meta does not accept this access token.'],
    ['Phone number ID', '106540352242999', 'Meta does not know this phone number ID'],
  ])('has a wrong %s told at its input before it is saved', async (name, wrong, sentence) => {
    await fill();
    const right = await input(name).inputValue();
    await input(name).fill(wrong);
    await tryIt();
    await dialog().getByRole('status').getByText(sentence).waitFor();
    expect(await dialog().getByText(sentence).count()).toBe(2);
    expect([await isAtFault(name), await isAtFault('App secret')]).toEqual(['true', null]);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoViolations(page);
    await input(name).fill(right);
    await expect.poll(() => isAtFault(name)).toBeNull();
    await tryIt();
    await dialog().getByText('Meta knows the number').waitFor();
    expect(await connections()).toEqual({ connections: [] });
  });

  test('shows its quality and its reach on the page, on a phone too', async () => {
    const connectionId = await connectTemplates(gateway, graph);
    await expect.poll(connections, { timeout: 30_000 }).toMatchObject({ connections: [{ quota: { used: 0 } }] });
    await page.goto(`connections?open=${connectionId}`);
    await page.getByText(/^Quality of the number/).waitFor();
    expect(await page.getByText(/^Quality of the number/).innerText()).toMatch(
      /^Quality of the number\s+yellow · 0 of 2,000 people written to within 24 hours · asked/,
    );
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await ask(
      gateway,
      await operatorTokenOf(gateway),
      'mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }',
      { id: connectionId },
    );
  });
});
