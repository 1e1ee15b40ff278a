import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../src/dashboard/app/api/ask.ts';
import {
  CreateTokenDocument,
  OverviewDocument,
  ProvidersDocument,
  RevokeTokenDocument,
  TokensDocument,
} from '../../../src/dashboard/app/api/operations.generated.ts';
import { expectAccessible } from '../../support/browser/accessible.ts';
import { lacksBrowser } from '../../support/browser/chromium.ts';
import { lookAt, signedInAs, signedInAsOperator } from '../../support/browser/people.ts';
import { setUpPages } from '../../support/browser/set-up-pages.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { takeTab } from '../../support/browser/tabs.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { freePort } from '../../support/processes/free-ports.ts';
import { ask, operatorTokenOf, send } from '../../support/processes/gateway.ts';

/** A phone of the sandbox that refuses every text. */
const REFUSED = '+12025550101';

/** The parts of an answer that tests change. */
interface Changeable {
  readonly overview?: {
    readonly totals: object;
    readonly previousTotals?: object;
    readonly previousFrom: string;
    readonly from: string;
    readonly to: string;
    readonly failures?: readonly object[];
  };
  readonly connections?: readonly { readonly health: object }[];
}

describe.skipIf(lacksBrowser('account-pages.test.ts'))('the pages of an account', () => {
  const { gateway, browser, page, forgive, complain, turnTo } = setUpPages({ loadsAll: true });
  let operator: BrowserContext;
  beforeAll(async () => {
    operator = await signedInAsOperator(browser, gateway, complain);
    await lookAt(gateway.demo.accountId, operator);
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true });
  const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text });

  /** From now on the operator is signed in, and looks at the demo account. */
  async function becomeOperator(): Promise<void> {
    await turnTo(await takeTab(operator));
  }

  /** From now on the page is answered so, where it asks for what is changed. */
  async function changeAnswers(change: (data: Changeable) => void): Promise<void> {
    await page.route('**/graphql', async route => {
      // A stream has no end to wait for.
      if (route.request().headers().accept?.includes('text/event-stream')) return route.continue();
      const response = await route.fetch();
      const answer: { data?: Changeable } = await response.json();
      change(answer.data ?? {});
      await route.fulfill({ response, json: answer });
    });
  }

  async function choose(label: string, option: string): Promise<void> {
    await page.getByRole('combobox', { name: label }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  /** Asks as the operator, beside the pages. */
  async function asOperator<Data>(query: string, variables: Record<string, unknown>): Promise<Data> {
    return await ask<Data>(gateway, await operatorTokenOf(gateway), query, variables);
  }

  describe('tokens', () => {
    test('a token that is created shows its name, its maker and its last use, and is refused once it is revoked', async () => {
      await page.goto('tokens');
      await button('Create token').click();
      await dialog().getByRole('textbox', { name: 'Name' }).fill('Shop server');
      await inDialog('Create token').click();
      const secret = await dialog().locator('code').first().innerText();
      expect((await send(gateway, secret)).status).toBe(200);
      await expectAccessible(page);
      await inDialog('Done').click();
      await row('Shop server').getByText(`by ${gateway.demo.dashboard.email}`).waitFor();
      await page.reload();
      await row('Shop server').getByText('from 127.0.0.1').waitFor();
      await expectAccessible(page);
      await button('Revoke Shop server').click();
      await dialog().getByText('cannot be undone').waitFor();
      await inDialog('Revoke token').click();
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(async () => (await send(gateway, secret)).status).toBe(401);
    });

    test('a token shows before its list is there, and Escape does not lose it while it is made', async () => {
      const [made, listed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      await page.route('**/graphql', async (route, request) => {
        const { documentId } = request.postDataJSON();
        if (documentId === documentIdOf(CreateTokenDocument)) await made.promise;
        if (documentId === documentIdOf(TokensDocument)) await listed.promise;
        await route.fallback();
      });
      await page.goto('tokens?new=1');
      await inDialog('Create token').click();
      await expect.poll(() => inDialog('Cancel').isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      made.resolve();
      await dialog().getByText('Keep it now: it is shown this once.').waitFor();
      listed.resolve();
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('a token that is not answered in time is not waited for', async () => {
      await page.route('**/graphql', async (route, request) => {
        if (request.postDataJSON().documentId !== documentIdOf(CreateTokenDocument)) await route.fallback();
      });
      await page.goto('tokens?new=1');
      await page.evaluate(() => {
        const timeout = AbortSignal.timeout;
        AbortSignal.timeout = milliseconds => timeout(milliseconds / 300);
      });
      await inDialog('Create token').click();
      await dialog().getByText('The gateway does not answer.').waitFor();
      await inDialog('Cancel').click();
      await dialog().waitFor({ state: 'detached' });
    });

    test('a question stays until it is done, and the page has the focus where its opener is gone', async () => {
      const revoked = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route, request) => {
        if (request.postDataJSON().documentId === documentIdOf(RevokeTokenDocument)) await revoked.promise;
        await route.fallback();
      });
      await page.goto('tokens?new=1');
      const name = crypto.randomUUID().slice(0, 8);
      await dialog().getByRole('textbox', { name: 'Name' }).fill(name);
      await inDialog('Create token').click();
      await inDialog('Done').click();
      await button(`Revoke ${name}`).click();
      await inDialog('Revoke token').click();
      await expect.poll(() => inDialog('Cancel').isDisabled()).toBe(true);
      await page.keyboard.press('Escape');
      revoked.resolve();
      await row(name).getByText('revoked').waitFor();
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('a token is given another name', async () => {
      await page.goto('tokens?new=1');
      const [before = '', after = ''] = ['Old', 'New'].map(word => `${word} ${crypto.randomUUID().slice(0, 8)}`);
      await dialog().getByRole('textbox', { name: 'Name' }).fill(before);
      await inDialog('Create token').click();
      await inDialog('Done').click();
      await button(`Rename ${before}`).click();
      await dialog().getByRole('textbox', { name: 'Name' }).fill(after);
      await expectAccessible(page);
      await inDialog('Save name').click();
      await row(after).getByText('Unified').waitFor();
      expect(await row(before).count()).toBe(0);
    });

    test.each([
      ['Unified', '/api/omni/send', { data: { status: 'sent', channel: 'sms' } }],
      ['SMS', '/api/sms/send', { data: { status: 'sent' } }],
      ['OTP', '/api/sms/otp/send', { data: { status: 'sent' } }],
      ['Management', '/graphql', { data: { balance: { credits: expect.any(Number) } } }],
    ])('the command that is shown with a token of the area %s runs as it stands', async (area, path, answer) => {
      await page.goto('tokens?new=1');
      if (area !== 'Unified') await choose('Area', area);
      await inDialog('Create token').click();
      await dialog().getByText('Try it:').waitFor();
      const command = await dialog().locator('code').last().innerText();
      expect(command).toContain(`${gateway.url}${path} `);
      const { stdout } = await promisify(execFile)('sh', ['-c', command]);
      expect(JSON.parse(stdout)).toMatchObject(answer);
    });
  });

  describe('senders', () => {
    test('a name that is added waits, and can be used once it is approved', async () => {
      await becomeOperator();
      const name = `S${crypto.randomUUID().slice(0, 8)}`;
      await page.goto('senders?new=1');
      await page.getByRole('textbox', { name: 'Name or number' }).fill(name);
      await inDialog('Add sender').click();
      await row(name).getByText('waiting for approval').waitFor();
      await button(`Approve ${name}`).click();
      await row(name).getByText('approved').waitFor();
      expect((await send(gateway, gateway.demo.tokens.unified, { sender: name })).status).toBe(200);
    });

    test('a name that cannot be is refused at its input', async () => {
      await becomeOperator();
      await page.goto('senders?new=1');
      await page.getByRole('textbox', { name: 'Name or number' }).fill('much too long for a name');
      await inDialog('Add sender').click();
      await expect.poll(() => page.locator('[aria-invalid="true"]').getAttribute('name')).toBe('name');
    });

    test('who is no operator sees them and changes nothing', async () => {
      await page.goto('senders');
      await row('DEMO').getByText('approved').waitFor();
      expect(await button('Add sender').count()).toBe(0);
    });
  });

  describe('credits', () => {
    test('a send stands in the ledger with its sign, and the filter stands in the URL', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
      await page.goto('credits?kind=CAPTURE');
      // A capture shows −1 twice: for the held credit, and under Credits for the paid one.
      await row('Paid').first().getByText('−1', { exact: true }).last().waitFor();
      await choose('Kind', 'Adjustment');
      await expect.poll(() => new URL(page.url()).searchParams.get('kind')).toBe('ADJUSTMENT');
      await row('Adjustment').first().getByText('+').waitFor();
      await expect.poll(() => row('Paid').count()).toBe(0);
    });

    test('an entry says what there was after it, and leads to the story of what it paid for', async () => {
      const to = newPhone();
      await send(gateway, gateway.demo.tokens.unified, { to });
      await page.goto('credits?kind=CAPTURE');
      const credits =
        /([\d,]+) credits/.exec(
          await page
            .getByText(/^[\d,]+ credits$/)
            .first()
            .innerText(),
        )?.[1] ?? '';
      const paid = row('Paid').first();
      await paid.getByText(credits, { exact: false }).last().waitFor();
      await paid.getByRole('link', { name: 'Message' }).click();
      await page
        .getByRole('dialog', { name: 'Message' })
        .getByText('The provider accepted it.', { exact: true })
        .waitFor();
    });

    test('the last days stand as bars by what was sent, and as sums', async () => {
      const day = new Date().toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
      await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
      await page.goto('credits');
      await page.getByRole('img', { name: /^Credits spent by day: \d+/ }).waitFor();
      const rows = page.getByRole('table', { name: 'Credits by day' }).getByRole('row');
      await rows
        .filter({ has: page.getByText(day, { exact: true }) })
        .getByText('−')
        .waitFor();
    });

    test('last as long as the overview says', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
      await page.goto('credits');
      const lasts = await page
        .getByRole('definition')
        .filter({ hasText: 'At the pace of the last 7 days' })
        .innerText();
      const [, shown = ''] = /^(.+? days?|for years|less than a day)/.exec(lasts) ?? [];
      await page.goto('');
      await page
        .getByRole('link', { name: /^Credits left/ })
        .getByText(`they last ${shown}`.replaceAll(' ', '\u{a0}'))
        .waitFor();
    });

    test('the operator adjusts the balance', async () => {
      await becomeOperator();
      const reason = `Invoice ${crypto.randomUUID().slice(0, 8)}`;
      await page.goto('credits?act=adjust');
      await dialog().getByRole('textbox', { name: 'Credits' }).fill('25');
      await dialog().getByRole('textbox', { name: 'Reason' }).fill(reason);
      await inDialog('Adjust balance').click();
      await row(reason).getByText('+25').waitFor();
    });

    test('the operator sets alerts', async () => {
      await becomeOperator();
      await page.goto('credits?act=alerts');
      await dialog().getByRole('textbox', { name: 'The balance is low below' }).fill('7');
      await inDialog('Save alerts').click();
      await page.getByText('below 7 credits').waitFor();
    });
  });

  describe('the overview', () => {
    test('counts as many failures as the log that it leads to', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: REFUSED });
      await page.goto('');
      const figure = page.getByRole('link', { name: /^Success rate/ });
      await figure.waitFor();
      const failed = Number(/(\d+)\sfailed/.exec(await figure.innerText())?.[1]);
      expect(failed).toBeGreaterThan(0);
      await figure.click();
      await page.getByRole('button', { name: 'Remove the filter status' }).waitFor();
      await page.getByText('type: attempt').waitFor();
      const entries = page.getByRole('list', { name: 'Log entries' }).getByRole('button');
      await expect.poll(() => entries.count()).toBe(failed);
    });

    test('says what fails in a sentence, and what it is compared with', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: REFUSED });
      await page.goto('');
      const fails = page.getByRole('table', { name: 'What fails' });
      await fails.getByText('The recipient does not take SMS.').first().waitFor();
      await fails.getByRole('columnheader', { name: 'Yesterday' }).waitFor();
      await page
        .getByRole('link', { name: /^Sent/ })
        .getByText(/\d+\syesterday/)
        .waitFor();
      await page.goto('?range=7d');
      await fails.getByRole('columnheader', { name: 'The 7 days before' }).waitFor();
    });

    test('keeps the words of a time with its numbers until those of another time come', async () => {
      const answers = Promise.withResolvers<void>();
      await page.goto('');
      const sent = page.getByRole('link', { name: /^Sent/ });
      await sent.getByText('yesterday').waitFor();
      await page.route('**/graphql', async (route, request) => {
        if (request.postDataJSON().documentId === documentIdOf(OverviewDocument)) await answers.promise;
        await route.fallback();
      });
      await page.getByText('7 days', { exact: true }).click();
      await expect.poll(() => page.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
      expect(await sent.innerText()).toContain('yesterday');
      answers.resolve();
      await sent.getByText('in the 7 days before').waitFor();
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('shows up and down with a sign, and by colour whether that is good', async () => {
      // Sends of a day ago cannot be made now.
      await changeAnswers(({ overview }) => {
        if (overview?.previousTotals)
          Object.assign(overview, {
            totals: { ...overview.totals, accepted: 112, successRate: 0.95 },
            previousTotals: { ...overview.previousTotals, accepted: 100, successRate: 0.97 },
          });
      });
      await page.goto('');
      await page
        .getByRole('link', { name: /^Sent 112/ })
        .getByText('▲ +12 %')
        .waitFor();
      const worse = page.getByRole('link', { name: /^Success rate/ }).getByText('▼ −2.0 points');
      await worse.waitFor();
      expect(await worse.getAttribute('data-meaning')).toBe('bad');
      await expectAccessible(page);
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('leads from what failed the day before to the log of that day', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: REFUSED });
      let day = { previousFrom: '', from: '', to: '' };
      await changeAnswers(({ overview }) => {
        if (!overview?.failures) return;
        day = overview;
        for (const failure of overview.failures) Object.assign(failure, { previousAttempts: 4 });
      });
      await page.goto('');
      const before = page.getByRole('table', { name: 'What fails' }).locator('td[data-head="Yesterday"] a');
      await before.first().click();
      await page.waitForURL(/\/logs/);
      const { searchParams } = new URL(page.url());
      const compared = Date.parse(day.previousFrom) + Date.parse(day.to) - Date.parse(day.from);
      const times = { from: day.previousFrom, to: new Date(compared).toISOString() };
      expect(Object.fromEntries(searchParams)).toMatchObject({ ...times, type: 'ATTEMPT' });
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('leads from the numbers of a part of the time to its attempts', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
      await page.goto('');
      await button('Numbers').click();
      const row = dialog().locator('tbody tr').first();
      await row.waitFor();
      const counts = await row.locator('td:not(:first-child)').allInnerTexts();
      await row.getByRole('button').click();
      await page.waitForURL(/\/logs/);
      const entries = page.getByRole('list', { name: 'Log entries' }).getByRole('button');
      await expect.poll(() => entries.count()).toBe(counts.reduce((sum, count) => sum + Number(count), 0));
    });

    test('shows what arrives and how fast by connection and country', async () => {
      await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
      await page.goto('');
      const routes = page.getByRole('table', { name: 'Delivery by connection and country' });
      await routes.getByRole('row').filter({ hasText: 'sandbox' }).getByText(/ms$/).first().waitFor();
    });

    const warnBelow = (credits: number | null) =>
      asOperator('mutation ($input: UpdateBillingInput!) { updateBilling(input: $input) { credits } }', {
        input: { accountId: gateway.demo.accountId, lowBalanceThreshold: credits },
      });
    afterEach(() => warnBelow(null));

    test('says that the balance is low, and leads to the credits', async () => {
      await warnBelow(1_000_000);
      await page.goto('');
      const notice = page.getByRole('listitem').filter({ hasText: 'The balance is low' });
      await notice.getByRole('time').waitFor();
      await expectAccessible(page);
      await notice.getByRole('link').click();
      await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    });
  });

  describe('connections', () => {
    let carrier: HttpGateway;

    beforeAll(async () => {
      carrier = await openHttpGateway();
    });
    afterAll(() => carrier?.close());

    const created: string[] = [];

    afterEach(async () => {
      for (const connectionId of created.splice(0))
        await asOperator('mutation ($id: String!) { deleteConnection(connectionId: $id) { id } }', {
          id: connectionId,
        });
    });

    async function create(name: string, priority: number): Promise<string> {
      const query = 'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }';
      const { accountId } = gateway.demo;
      const input = { accountId, provider: 'http-sms', channel: 'SMS', name, priority, config: carrier.config };
      const { createConnection } = await asOperator<{ createConnection: { connectionId: string } }>(query, { input });
      created.push(createConnection.connectionId);
      return createConnection.connectionId;
    }

    const names = () =>
      page.getByRole('list', { name: 'SMS connections in their order' }).locator('strong').allInnerTexts();

    test('the operator creates one by the form of its provider, sends one by it, and deletes it by its name', async () => {
      await becomeOperator();
      await page.goto('connections?new=1');
      await choose('Provider', 'HTTP gateway');
      await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('Carrier');
      const { request, accepted, messageId } = carrier.config as {
        request: { method: string; url: string; query: Record<string, string> };
        accepted: { status: number[] };
        messageId: string;
      };
      const part = (name: string) => dialog().getByRole('group', { name, exact: true });
      await choose('Method', request.method);
      await part('Request').getByRole('textbox', { name: 'URL' }).fill(request.url);
      const lines = Object.entries(request.query).map(([name, value]) => `${name}: ${value}`);
      await part('Request').getByRole('textbox', { name: 'Query' }).fill(lines.join('\n'));
      await part('Accepted').getByRole('textbox', { name: 'Status' }).fill(accepted.status.join(', '));
      await dialog().getByRole('textbox', { name: 'Message id', exact: true }).fill(messageId);
      await dialog().getByRole('textbox', { name: 'Secrets', exact: true }).fill('key: a secret of the carrier');
      await choose('Sends', 'Passcodes only');
      await dialog().getByRole('textbox', { name: 'Countries', exact: true }).fill('SE');
      await inDialog('Create connection').click();
      await page.getByText('Passcodes over SMS go to SE alone: all others fail with no_route.').waitFor();
      await page.getByText('Messages over SMS have no connection: they fail with no_route.').waitFor();
      await page.goto('send?channels=sms&to=%2B12025550123&text=Hello');
      await page.getByText('No connection takes this').waitFor();
      await page.getByText('is not asked: it does not send messages.').waitFor();
      await page.goto('connections');
      await page.getByRole('button', { name: /Carrier.*passcodes only/ }).click();
      await button('Send me one').click();
      await dialog().getByRole('textbox', { name: 'Number' }).fill('+12025550123');
      await inDialog('Send').click();
      await dialog().getByText('accepted').waitFor();
      expect(carrier.messages.at(-1)).toMatchObject({ to: '12025550123', text: 'A test of Heliograph' });
      await inDialog('Cancel').click();
      await button('Edit').click();
      const secrets = dialog().getByRole('textbox', { name: 'Secrets', exact: true });
      expect(await secrets.inputValue()).not.toContain('a secret of the carrier');
      await choose('Sends', 'Messages and passcodes');
      await inDialog('Save changes').click();
      await dialog().waitFor({ state: 'detached' });
      await page.getByText('passcodes only').waitFor({ state: 'detached' });
      await button('Delete').click();
      await expect.poll(() => inDialog('Delete connection').isDisabled()).toBe(true);
      await dialog().getByRole('textbox', { name: 'Type Carrier to confirm' }).fill('Carrier');
      await inDialog('Delete connection').click();
      await page.getByText('No connections yet').waitFor();
    });

    test('a wrong host is told before it is saved, and each fault stands at its input', async () => {
      const connections = 'query ($id: String) { connections(accountId: $id) { connectionId } }';
      await becomeOperator();
      await page.goto('connections?new=1');
      const field = (name: string) => dialog().getByRole('textbox', { name, exact: true });
      await field('Name').fill('Main carrier');
      for (const [name, text] of [
        ['Host', 'smsc.invalid'],
        ['Port', '2775'],
        ['System ID', 'gateway'],
        ['Password', 'secret'],
      ] as const)
        await field(name).fill(text);
      await inDialog('Test before saving').click();
      const told = dialog().getByText(/smsc\.invalid.*Check the host/);
      await told.waitFor();
      const isInSight = (words: Element) => {
        const { left, bottom } = words.getBoundingClientRect();
        return words.contains(document.elementFromPoint(left + 5, bottom - 5));
      };
      await expect.poll(() => told.evaluate(isInSight)).toBe(true);
      expect(await asOperator(connections, { id: gateway.demo.accountId })).toEqual({ connections: [] });
      await expectAccessible(page);
      expect(await dialog().getByText(/JSON/).count()).toBe(0);
      await dialog().getByRole('switch', { name: 'TLS' }).check();
      await field('Name in its certificate').waitFor();
      await dialog().getByRole('switch', { name: 'TLS' }).uncheck();
      expect(await field('Window').isVisible()).toBe(false);
      await dialog().getByText('Fine tuning').click();
      await field('Window').fill('5000');
      await dialog().getByText('Fine tuning').click();
      await field('Countries').fill('US, XX');
      await inDialog('Create connection').click();
      await dialog().getByText('XX: must be the code of a country, two letters like US').waitFor();
      await field('Countries').fill('');
      await inDialog('Create connection').click();
      await dialog().getByText('must be from 1 to 1000').waitFor();
      await expectAccessible(page);
      forgive();
    });

    test('one that is down says why, here and on the overview, and when it is tried again', async () => {
      const port = await freePort();
      const why = `Nothing listens at 127.0.0.1:${port}. Check the port, and that the provider is up.`;
      const query = 'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }';
      const config = { host: '127.0.0.1', port, systemId: 'gateway', password: 'secret' };
      const input = { accountId: gateway.demo.accountId, provider: 'smpp', channel: 'SMS', name: 'SMSC', config };
      const { createConnection: made } = await asOperator<{ createConnection: { connectionId: string } }>(query, {
        input,
      });
      created.push(made.connectionId);
      await becomeOperator();
      await page.goto(`connections?open=${made.connectionId}`);
      await page.getByText(why).waitFor();
      await page.getByText(/Next try/).waitFor();
      await button('Send me one').waitFor();
      expect(await page.getByText('The provider reports to this address').count()).toBe(0);
      await expectAccessible(page);
      await page.goto('');
      await page.getByRole('link', { name: `Connection SMSC: ${why}` }).waitFor();
    });

    test('its row says what its provider is called by people, and by filters', async () => {
      await create('Carrier', 10);
      await becomeOperator();
      await page.goto('connections');
      await page.getByRole('button', { name: /^Carrier HTTP gateway http-sms all countries/ }).waitFor();
      await page.goto('connections?new=1');
      await choose('Provider', 'HTTP gateway');
      await dialog().getByText('Filters and the command line call it http-sms').waitFor();
    });

    test('one whose next try is past says that it is due', async () => {
      const connectionId = await create('Carrier', 10);
      const nextTryAt = new Date(Date.now() - 12_000).toISOString();
      await changeAnswers(({ connections }) => {
        for (const connection of connections ?? [])
          Object.assign(connection, {
            health: { ...connection.health, status: 'DOWN', lastError: 'It is down.', nextTryAt },
          });
      });
      await page.goto(`connections?open=${connectionId}`);
      const line = page.getByText('It is down.');
      await line.waitFor();
      expect(await line.innerText()).toBe('It is down. The next try is due.');
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('one that is sick says why, with its last hour beside its day by country', async () => {
      const connectionId = await create('Carrier', 10);
      await becomeOperator();
      const reason = '5 % of its newest texts to US were delivered in time; 92 % are usual.';
      const hour = {
        attempts: 40,
        taken: 38,
        refused: 1,
        unknown: 1,
        due: 20,
        delivered: 1,
        ackMs: 120,
        receiptMs: 4200,
      };
      const day = { ...hour, attempts: 400, taken: 396, due: 390, delivered: 359 };
      await changeAnswers(({ connections }) => {
        for (const connection of connections ?? [])
          Object.assign(connection, {
            health: { ...connection.health, status: 'UP' },
            readings: [
              { country: null, reason: null, hour, day },
              { country: 'US', reason, hour, day },
            ],
          });
      });
      await page.goto(`connections?open=${connectionId}`);
      await page.getByText(reason).waitFor();
      const table = page.getByRole('table', { name: 'The last hour of Carrier beside its day' });
      const cells = await table.getByRole('row').filter({ hasText: 'US' }).getByRole('cell').allInnerTexts();
      expect(cells.slice(-6).map(text => text.trim())).toEqual([
        'sick',
        '40',
        '95.0 % 99.0 % in the day',
        '5.0 % 92.1 % in the day',
        '120 ms',
        '4.2 s',
      ]);
      await expectAccessible(page);
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('its address of receipts is renewed', async () => {
      const connectionId = await create('Carrier', 10);
      await becomeOperator();
      await page.goto(`connections?open=${connectionId}`);
      const address = page.locator('code').filter({ hasText: '/receipts/' });
      const before = await address.innerText();
      await button('Renew address').click();
      await expectAccessible(page);
      await inDialog('Renew address').click();
      await expect.poll(() => address.innerText()).not.toBe(before);
    });

    test('the order is changed by a button, and by dragging', async () => {
      await create('First', 10);
      await create('Second', 20);
      await becomeOperator();
      await page.goto('connections');
      await button('Move Second up').click();
      await expect.poll(names).toEqual(['Second', 'First']);
      await page
        .getByRole('listitem')
        .filter({ hasText: 'First' })
        .dragTo(page.getByRole('listitem').filter({ hasText: 'Second' }));
      await expect.poll(names).toEqual(['First', 'Second']);
    });

    test('the form to edit one has the focus on its name, and a drag in it moves no row', async () => {
      const connectionId = await create('Edited', 10);
      await becomeOperator();
      const answers = Promise.withResolvers<void>();
      await page.route('**/graphql', async (route, request) => {
        if (request.postDataJSON().documentId === documentIdOf(ProvidersDocument)) await answers.promise;
        await route.fallback();
      });
      await page.goto(`connections?open=${connectionId}`);
      await button('Edit').click();
      await dialog().waitFor();
      await expect.poll(() => dialog().evaluate(node => node.contains(document.activeElement))).toBe(true);
      answers.resolve();
      const name = dialog().getByRole('textbox', { name: 'Name' });
      await name.waitFor();
      await expect.poll(() => name.evaluate(node => node === document.activeElement)).toBe(true);
      const dataTransfer = await page.evaluateHandle(() => new DataTransfer());
      await name.dispatchEvent('dragstart', { dataTransfer });
      expect(await dataTransfer.evaluate(data => data.getData('text/plain'))).toBe('');
      await page.unrouteAll({ behavior: 'wait' });
    });

    test('a priority that is cleared is asked for', async () => {
      const connectionId = await create('Cleared', 10);
      await becomeOperator();
      await page.goto(`connections?open=${connectionId}`);
      await button('Edit').click();
      await dialog().getByRole('textbox', { name: 'Priority' }).fill('');
      await inDialog('Save changes').click();
      // The browser says so at the input, which it gives the focus.
      await expect.poll(() => dialog().locator(':invalid:focus').getAttribute('name')).toBe('priority');
    });

    test('one that is paused says so, and who is no operator changes none', async () => {
      const connectionId = await create('Paused', 10);
      const query = 'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }';
      await asOperator(query, { input: { connectionId, paused: true } });
      await page.goto(`connections?open=${connectionId}`);
      await page.getByText('paused', { exact: true }).waitFor();
      expect(await button('Send me one').count()).toBe(0);
    });
  });

  describe('limits', () => {
    test('the operator changes one, and the audit trail says from what to what', async () => {
      await becomeOperator();
      await page.goto('limits?act=edit');
      await dialog().getByRole('textbox', { name: 'Passcodes to a phone in a day' }).fill('42');
      await inDialog('Save limits').click();
      await page.getByText('42 a day').waitFor();
      await page.goto('audit?action=otp_settings.updated');
      await row('→ 42').waitFor();
    });

    test('the operator switches one off by an empty field', async () => {
      await becomeOperator();
      await page.goto('limits?act=edit');
      await dialog().getByRole('textbox', { name: 'Passcodes for an address in an hour' }).fill('');
      await inDialog('Save limits').click();
      await page.locator('dl > div', { hasText: 'Passcodes for an address' }).getByText('no limit').waitFor();
    });

    test('a country that is none is refused at its input, by its name', async () => {
      await becomeOperator();
      await page.goto('limits?act=edit');
      await dialog().getByRole('textbox', { name: 'Countries' }).fill('US, XX');
      await inDialog('Save limits').click();
      await dialog()
        .getByText(/^XX: must be/)
        .waitFor();
    });

    test('a block without countries is refused at their input', async () => {
      await becomeOperator();
      await page.goto('limits?act=edit');
      await choose('Fraud guard', 'Block');
      await dialog().getByRole('textbox', { name: 'Countries' }).fill('');
      await inDialog('Save limits').click();
      await expect.poll(() => dialog().locator('[aria-invalid="true"]').count()).toBe(1);
    });
  });

  test('the audit trail is filtered by its subject, which stands in the URL', async () => {
    const query = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { token { tokenId } } }';
    const input = { accountId: gateway.demo.accountId, area: 'SMS' };
    const { createToken } = await asOperator<{ createToken: { token: { tokenId: string } } }>(query, { input });
    const subject = createToken.token.tokenId;
    await page.goto('audit');
    await page.getByRole('textbox', { name: 'Subject' }).fill(subject);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await row('Token created').waitFor();
    expect(new URL(page.url()).searchParams.get('subject')).toBe(subject);
  });

  describe('the account', () => {
    test('a colleague who is invited accepts by the link, and is removed by name', async () => {
      const email = `${crypto.randomUUID().slice(0, 8)}@people.example`;
      await page.goto('account?act=invite');
      await dialog().getByRole('textbox', { name: 'Email' }).fill(email);
      await inDialog('Create invitation').click();
      const link = await dialog().locator('code').innerText();
      await inDialog('Done').click();
      const other = await browser.newContext();
      const theirs = await other.newPage();
      await theirs.goto(link);
      await theirs.getByRole('textbox', { name: 'Password' }).fill('a long enough password');
      await theirs.getByRole('button', { name: 'Accept invitation' }).click();
      await theirs.getByRole('navigation', { name: 'Pages' }).waitFor();
      await other.close();
      await page.reload();
      await button(`Remove ${email}`).click();
      await dialog()
        .getByRole('textbox', { name: `Type ${email} to confirm` })
        .fill(email);
      await inDialog('Remove person').click();
      await expect.poll(() => button(`Remove ${email}`).count()).toBe(0);
    });

    test('another browser is signed out by its button', async () => {
      const other = await signedIn(browser, gateway, () => undefined);
      await page.goto('account');
      const theirs = await other.newPage();
      await theirs.goto('errors');
      await theirs.getByRole('navigation', { name: 'Pages' }).waitFor();
      const sessions = page.getByRole('table', { name: 'Sessions' });
      await sessions.getByRole('button', { name: 'Sign out' }).first().waitFor();
      for (let left = await sessions.getByRole('button', { name: 'Sign out' }).count(); left > 0; left -= 1) {
        await sessions.getByRole('button', { name: 'Sign out' }).first().click();
        await expect.poll(() => sessions.getByRole('button', { name: 'Sign out' }).count()).toBe(left - 1);
      }
      await theirs.reload();
      await theirs.getByRole('textbox', { name: 'Password' }).waitFor();
      await other.close();
    });

    test('signing out everywhere ends this session too', async () => {
      const theirs = await signedInAs('OWNER', browser, gateway, complain);
      await turnTo(await theirs.newPage());
      await page.goto('account');
      await button('Sign out everywhere').click();
      await inDialog('Sign out everywhere').click();
      await page.getByRole('textbox', { name: 'Password' }).waitFor();
      forgive('401');
    });

    test('a wrong present password is refused in the dialog', async () => {
      await page.goto('account?act=password');
      await dialog().getByLabel('Present password').fill('not the password');
      await dialog().getByLabel('New password').fill('another long password');
      await inDialog('Change password').click();
      await expect.poll(() => dialog().innerText()).toMatch(/wrong|password is/i);
    });

    test('the operator changes the rate limit', async () => {
      await becomeOperator();
      await page.goto('account?act=plan');
      await dialog().getByRole('textbox', { name: 'Requests per second of a token' }).fill('1234');
      await inDialog('Save plan').click();
      await page.getByText('1234 a second').waitFor();
    });

    test('the operator sets the fallback in time, and a fault stands at its field', async () => {
      await becomeOperator();
      await page.goto('account?act=plan');
      const seconds = dialog().getByRole('textbox', { name: 'The next channel follows after' });
      await seconds.fill('5');
      await inDialog('Save plan').click();
      await dialog().getByText('must be a whole number of seconds from 15 to 3600').waitFor();
      await seconds.fill('45');
      await dialog().getByRole('combobox', { name: 'Unless the text was' }).selectOption('read');
      await inDialog('Save plan').click();
      await page.getByText('after 45 s, unless read').waitFor();
    });
  });
});
