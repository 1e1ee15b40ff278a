import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { signedIn } from '../../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { type HttpGateway, openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import {
  ask,
  type DemoGateway,
  operatorTokenOf,
  send,
  startDemoGateway,
  until,
} from '../../../support/processes/gateway.ts';

/** Refused by the sandbox over SMS. */
const REFUSED = '+12025550101';

/** A number that the carrier refuses, one that it takes, and one to which nothing leads. */
const [BRITISH_REFUSED, BRITISH, GERMAN] = ['+447400123456', '+447400123457', '+4915123456789'];

describe.skipIf(lacksBrowser('numbers.test.ts'))('a number that links to the log leads to as many rows', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let carrier: HttpGateway;
  let connectionId: string;

  const asOperator = async <Data>(query: string, variables: Record<string, unknown>): Promise<Data> =>
    ask<Data>(gateway, await operatorTokenOf(gateway), query, variables);

  beforeAll(async () => {
    [gateway, browser, carrier] = await Promise.all([startDemoGateway(), openBrowser(), openHttpGateway()]);
    context = await signedIn(browser, gateway, () => undefined);
    carrier.answerWith(({ to }, response) =>
      response.writeHead(to === BRITISH_REFUSED.slice(1) ? 400 : 202).end('id=1'),
    );
    const { accountId, tokens } = gateway.demo;
    const sendTo = (to: string) => send(gateway, tokens.unified, { to });
    for (const to of [REFUSED, REFUSED, newPhone()]) await sendTo(to);
    const made = await asOperator<{ createConnection: { connectionId: string } }>(
      'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
      {
        input: {
          accountId,
          provider: 'http-sms',
          channel: 'SMS',
          name: 'Carrier',
          countries: ['GB'],
          config: {
            ...carrier.config,
            rejected: { status: [400] },
            inbound: { from: 'query:from', to: 'query:to', text: 'query:text' },
          },
        },
      },
    );
    connectionId = made.createConnection.connectionId;
    for (const to of [BRITISH_REFUSED, BRITISH_REFUSED, BRITISH, GERMAN, REFUSED]) await sendTo(to);
    const answer = new URLSearchParams({ from: BRITISH, to: 'DEMO', text: 'Thank you' });
    await fetch(`${carrier.messages[0]?.receipts}/inbound?${answer}`);
    await asOperator('mutation ($input: UpdateOtpSettingsInput!) { updateOtpSettings(input: $input) { fraudMode } }', {
      input: { accountId, fraudMode: 'BLOCK', countries: ['GB', 'US'] },
    });
    const sendOtp = 'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }';
    // Settings are up to a second old where they are read.
    await until('the fraud guard stops passcodes to Germany', () => {
      const to = `+49151${String(Math.random()).slice(2, 10)}`;
      const answer = ask(gateway, tokens.unified, sendOtp, { input: { to, channels: ['SMS'] } });
      return answer.then(
        () => null,
        (error: unknown) => error,
      );
    });
  });
  afterAll(async () => {
    await closeWindows();
    await carrier?.close();
  });
  beforeEach(async () => {
    page = await takeTab(context);
    return () => leaveTab(page);
  });

  const rows = () => page.getByRole('list', { name: 'Log entries' }).getByRole('button');

  /** Goes by a link, expects so many rows behind it, and comes back. */
  async function expectRows(link: Locator, count: number): Promise<void> {
    await link.click();
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor();
    await expect.poll(() => rows().count()).toBe(count);
    await page.getByText('Nothing older in the chosen time.').waitFor();
    await page.goBack();
  }

  /** The first number of a text. */
  const numberIn = async (link: Locator): Promise<number> => Number(/\d+/.exec(await link.innerText())?.[0]);

  test('of each line of what fails', async () => {
    await page.goto('');
    const lines = page.getByRole('table', { name: 'What fails' }).locator('tbody tr');
    await lines.first().waitFor();
    const failures = await lines.allInnerTexts();
    // The sandbox to the US, the carrier to Britain, nobody to Germany.
    expect(failures).toHaveLength(3);
    // A carrier is connected, though not for Germany.
    expect(failures.filter(line => line.includes('No connection takes this.'))).toHaveLength(1);
    expect(failures.join('\n')).not.toContain('No provider is connected');
    for (const index of failures.keys()) {
      const count = lines.nth(index).locator('td[data-head="Count"] a');
      await count.waitFor();
      const number = await numberIn(count);
      expect(number).toBeGreaterThan(0);
      await expectRows(count, number);
    }
  });

  test('of what went by each connection to each country', async () => {
    await page.goto('');
    const lines = page.getByRole('table', { name: 'Delivery by connection and country' }).locator('tbody tr');
    await lines.first().waitFor();
    // The sandbox to the US, and the carrier to Britain, which refused two of three.
    const shown = await lines.allInnerTexts();
    expect(shown.some(line => line.includes('Carrier'))).toBe(true);
    for (const [index, text] of shown.entries()) {
      const cell = (head: string) => lines.nth(index).locator(`td[data-head="${head}"] a`);
      await cell('Attempts').waitFor();
      const attempts = await numberIn(cell('Attempts'));
      await expectRows(cell('Attempts'), attempts);
      if (!text.includes('Carrier')) continue;
      expect(attempts).toBe(3);
      await expectRows(cell('Failed'), 2);
    }
  });

  test('of the figures of the overview', async () => {
    await page.goto('');
    const figure = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) });
    await figure('Sent').waitFor();
    const sent = Number(await figure('Sent').locator('strong').innerText());
    expect(sent).toBeGreaterThan(0);
    await expectRows(figure('Sent'), sent);
    await figure('Success rate').waitFor();
    await expectRows(figure('Success rate'), await numberIn(figure('Success rate').locator('span').last()));
  });

  test('of the passcodes that were verified', async () => {
    const { unified } = gateway.demo.tokens;
    const [tried, verified] = ['+12025550102', '+12025550100'];
    const sendOtp = (to: string) =>
      ask<{ sendOtp: { pinId: string } }>(
        gateway,
        unified,
        'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }',
        { input: { to, channels: ['SMS'], template: '{{code}}' } },
      );
    await sendOtp(tried);
    const { pinId } = (await sendOtp(verified)).sendOtp;
    const texts = 'query ($to: String!) { sandboxMessages(to: $to, first: 1) { text } }';
    const answer = await ask<{ sandboxMessages: { text: string }[] }>(gateway, unified, texts, { to: verified });
    await ask(gateway, unified, 'mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }', {
      input: { pinId, pin: answer.sandboxMessages[0]?.text },
    });
    await page.goto('');
    const figure = page.getByRole('link', { name: /^OTP conversion/ });
    await figure.getByText('1 of 2 verified').waitFor();
    await expectRows(figure, 1);
  });

  test('of what the fraud guard stopped', async () => {
    await page.goto('');
    const notice = page.getByRole('link', { name: /^The fraud guard stopped/ });
    await notice.waitFor();
    await expectRows(notice, await numberIn(notice));
  });

  test('of what went by a connection, whose log has that and nothing else', async () => {
    await page.goto(`connections?open=${connectionId}`);
    const cells = page.getByRole('table', { name: /by country/ }).locator('td a');
    await cells.first().waitFor();
    const count = await cells.count();
    expect(count).toBe(3);
    for (let index = 0; index < count; index += 1) {
      await cells.nth(index).waitFor();
      await expectRows(cells.nth(index), await numberIn(cells.nth(index)));
    }
    await page.getByRole('link', { name: 'Open the log' }).click();
    await page.getByText('connection: Carrier').waitFor();
    // The texts that went by it, and the one that came.
    await expect.poll(() => rows().count()).toBe(carrier.messages.length + 1);
  });
});
