import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { signedInAs, signedInAsOperator } from '../../support/browser/people.ts';
import { leaveTab, takeTab } from '../../support/browser/tabs.ts';
import { walk } from '../../support/browser/walk.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeAccount } from '../../support/processes/accounts.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import {
  ask,
  type DemoGateway,
  operatorTokenOf,
  send,
  startDemoGateway,
  TEXT,
  until,
} from '../../support/processes/gateway.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';

describe.skipIf(lacksBrowser('roles.test.ts'))('who is', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let receiver: Receiver;
  let endpointId: string;
  let complaints: string[];

  beforeAll(async () => {
    const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' };
    [gateway, browser, receiver] = await Promise.all([startDemoGateway({ env }), openBrowser(), startReceiver()]);
    ({ endpointId } = await makeEndpoint(gateway, receiver.url));
  });
  afterAll(async () => {
    await closeWindows();
    await receiver?.close();
  });
  beforeEach(() => {
    complaints = [];
  });
  afterEach(() => expect(complaints).toEqual([]));

  /** A refusal is an answer with a status of its own, which Chromium tells of. */
  const complain = (text: string) => void (/^Failed to load resource/.test(text) || complaints.push(text));

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Sends a message, and answers how the log can be told to show it alone. */
  async function sendOne(): Promise<{ to: string; reference: string; messageId: string }> {
    const [to, reference] = [newPhone(), `role-${crypto.randomUUID().slice(0, 8)}`];
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to, reference });
    return { to, reference, messageId: body.data?.messageId ?? '' };
  }

  /** The text of a page without spaces and plus signs, so that a phone is found however its digits are grouped. */
  async function textOf(page: Page): Promise<string> {
    return (await page.locator('body').innerText()).replaceAll(/[\s+]/g, '');
  }

  /** Links to what a role may not do, with what is said there. */
  const CLOSED: Readonly<Record<'VIEWER' | 'SUPPORT' | 'DEVELOPER', [path: string, what: string, needs: string][]>> = {
    VIEWER: [
      ['tokens?new=1', 'You cannot create tokens', 'It needs the role developer.'],
      ['webhooks/new', 'You cannot create endpoints', 'It needs the role developer.'],
      ['account?act=invite', 'You cannot invite people', 'It needs the role owner.'],
      ['connections?new=1', 'You cannot create connections', 'The operator of this gateway can.'],
      ['send', 'Viewers cannot send', 'An owner of the account can make you a developer'],
      ['inbox', 'A viewer sees no texts', 'An owner of the account can give you the role support'],
      ['phones', 'A viewer sees no texts and no codes', 'An owner of the account can make you a developer'],
    ],
    SUPPORT: [
      ['tokens?new=1', 'You cannot create tokens', 'It needs the role developer.'],
      ['webhooks/new', 'You cannot create endpoints', 'It needs the role developer.'],
      ['account?act=invite', 'You cannot invite people', 'It needs the role owner.'],
      ['credits?act=adjust', 'You cannot change the credits', 'The operator of this gateway can.'],
      ['limits?act=edit', 'You cannot change limits', 'The operator of this gateway can.'],
      ['send', 'Support writes to nobody new', 'What was sent can be sent again, from its story in the log.'],
      ['phones', 'Support sees no codes', 'An owner of the account can make you a developer'],
    ],
    DEVELOPER: [
      ['account?act=invite', 'You cannot invite people', 'It needs the role owner.'],
      ['account?act=plan', 'You cannot change the plan', 'The operator of this gateway can.'],
      ['senders?new=1', 'You cannot add senders', 'The operator of this gateway can.'],
      ['connections?new=1', 'You cannot create connections', 'The operator of this gateway can.'],
      ['credits?act=adjust', 'You cannot change the credits', 'The operator of this gateway can.'],
      ['limits?act=edit', 'You cannot change limits', 'The operator of this gateway can.'],
    ],
  };

  describe.each(['VIEWER', 'SUPPORT', 'DEVELOPER'] as const)('a %s', role => {
    let context: BrowserContext;
    let page: Page;

    beforeAll(async () => {
      context = await signedInAs(role, browser, gateway, complain);
    });
    beforeEach(async () => {
      page = await takeTab(context);
    });
    afterEach(() => leaveTab(page));

    test('is told at each link to what is closed what it needs, and is offered no dialog', async () => {
      for (const [index, [path, what, needs]] of CLOSED[role].entries()) {
        if (index === 0) await page.goto(path);
        else await walk(page, path);
        await page.getByText(what, { exact: true }).waitFor();
        await page.getByText(needs).waitFor();
        expect(await page.getByRole('dialog').count(), path).toBe(0);
      }
    });

    test('is offered no change of people, but of the own password', async () => {
      await page.goto('account');
      await page
        .getByRole('row')
        .filter({ hasText: 'you' })
        .getByText(role.charAt(0) + role.slice(1).toLowerCase())
        .waitFor();
      for (const name of [/^Invite person/, /^Remove /, /^Change plan/])
        expect(await page.getByRole('button', { name }).count()).toBe(0);
      expect(await page.getByRole('combobox', { name: /^Role of/ }).count()).toBe(0);
      await button(page, 'Change password').waitFor();
    });
  });

  describe('a viewer', () => {
    let context: BrowserContext;
    let page: Page;

    beforeAll(async () => {
      context = await signedInAs('VIEWER', browser, gateway, complain);
    });
    beforeEach(async () => {
      page = await takeTab(context);
    });
    afterEach(() => leaveTab(page));

    test('sees the number of a message masked and no text, in the log and in its story', async () => {
      const { to, reference, messageId } = await sendOne();
      await page.goto(`logs?reference=${reference}`);
      await page.getByRole('list', { name: 'Log entries' }).getByRole('button').click();
      const story = page.getByRole('dialog');
      await story.getByText('The provider accepted it.', { exact: true }).waitFor();
      await story.getByText('JSON', { exact: true }).click();
      const shown = await textOf(page);
      expect(shown).toContain(messageId);
      expect(shown).toContain(`1••••••••${to.slice(-2)}`);
      expect(shown).not.toContain(to.slice(1));
      expect(shown).not.toContain(TEXT.replaceAll(' ', ''));
      expect(await story.getByRole('link', { name: 'Send again' }).count()).toBe(0);
    });

    test('is told that a number cannot be looked for, and is not offered it', async () => {
      await page.goto(`logs?recipient=${encodeURIComponent(newPhone())}`);
      await page.getByText('The role viewer sees numbers masked, and cannot look for one.').first().waitFor();
      await button(page, 'Remove the filter recipient').click();
      await button(page, 'Filter').click();
      await page.getByRole('menuitem', { name: 'reference' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'recipient' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByPlaceholder('A page, or paste an id').fill('+12025550100');
      await page.getByText('Reference +12025550100').waitFor();
      expect(await page.getByText('What went to').count()).toBe(0);
    });

    test('sees of a webhook whether it arrived, and neither its body nor what would change it', async () => {
      const { to } = await sendOne();
      await page.goto(`webhooks/${endpointId}`);
      const rows = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
      await rows.filter({ hasText: 'delivered' }).first().click();
      await page.getByRole('dialog').getByText('A viewer sees no bodies.').waitFor();
      await page.getByRole('dialog').getByText('A viewer sees no text of an answer.').waitFor();
      expect(await textOf(page)).not.toContain(to.slice(1));
      for (const name of ['Send test', 'Redeliver', 'More actions'])
        expect(await page.getByRole('button', { name }).count(), name).toBe(0);
      await page.goto('webhooks');
      await page.getByRole('link', { name: receiver.url }).waitFor();
      expect(await page.getByRole('link', { name: 'Create endpoint' }).count()).toBe(0);
    });

    test('goes from what was stopped to its entry in the log, without its number', async () => {
      const operator = await operatorTokenOf(gateway);
      const update = 'mutation ($input: UpdateOtpSettingsInput!) { updateOtpSettings(input: $input) { fraudMode } }';
      const guard = (fraudMode: string) =>
        ask(gateway, operator, update, { input: { accountId: gateway.demo.accountId, fraudMode, countries: ['US'] } });
      await guard('BLOCK');
      const sendOtp = 'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }';
      // Settings are up to a second old where they are read.
      await until('the fraud guard stops passcodes to Germany', () => {
        const to = `+49151${String(Math.random()).slice(2, 10)}`;
        return ask(gateway, gateway.demo.tokens.unified, sendOtp, { input: { to, channels: ['SMS'] } }).then(
          () => null,
          (error: unknown) => error,
        );
      });
      await guard('OFF');
      await page.goto('limits');
      await page.getByRole('link', { name: 'Open in the log' }).first().click();
      await page.locator('[aria-label="Log entries"]').getByText('blocked').first().waitFor();
      expect(new URL(page.url()).searchParams.has('recipient')).toBe(false);
    });

    test('sees the tokens, and neither makes nor revokes one', async () => {
      await page.goto('tokens');
      await page.getByRole('table', { name: 'Tokens' }).getByText('active').first().waitFor();
      for (const name of [/^Create token/, /^Revoke/]) expect(await page.getByRole('button', { name }).count()).toBe(0);
    });

    test('is not asked to take first steps that a viewer may not', async () => {
      await page.goto('');
      await page.getByRole('heading', { name: 'What fails' }).waitFor();
      expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
    });
  });

  describe('support', () => {
    let context: BrowserContext;
    let page: Page;

    beforeAll(async () => {
      context = await signedInAs('SUPPORT', browser, gateway, complain);
    });
    beforeEach(async () => {
      page = await takeTab(context);
    });
    afterEach(() => leaveTab(page));

    test('looks for a number, reads the text, and sends it again after a question', async () => {
      const { to, messageId } = await sendOne();
      await page.goto(`logs?recipient=${encodeURIComponent(to)}`);
      await page.getByRole('list', { name: 'Log entries' }).getByRole('button').first().click();
      const story = page.getByRole('dialog', { name: 'Message' });
      await story.getByText(TEXT, { exact: true }).waitFor();
      await story.getByRole('button', { name: 'Send again' }).click();
      const question = page.getByRole('dialog', { name: 'Send again' });
      await question.getByText('By SMS it costs up to 1 credit.').waitFor();
      await question.getByRole('button', { name: 'Send again' }).click();
      await question.waitFor({ state: 'detached' });
      await page.waitForURL(url => !url.search.includes(messageId) && url.search.includes('open=msg_'));
      await story.getByText('The provider accepted it.', { exact: true }).waitFor();
    });

    test('redelivers a webhook, and changes no endpoint', async () => {
      await sendOne();
      await page.goto(`webhooks/${endpointId}`);
      await page
        .getByRole('button', { name: /^Redeliver dlv_/ })
        .first()
        .click();
      await page.getByRole('button', { name: 'Recover since …' }).waitFor();
      for (const name of ['Send test', 'More actions'])
        expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    });

    test('reads on the page Account what each role may', async () => {
      await page.goto('account');
      const row = page.getByRole('table', { name: 'Roles' }).getByRole('row').filter({ hasText: 'once more' });
      await row.getByText('Owner, Developer, Support', { exact: true }).waitFor();
    });
  });

  test('a developer makes and revokes a token, and sends', async () => {
    const context = await signedInAs('DEVELOPER', browser, gateway, complain);
    const page = await context.newPage();
    await page.goto('tokens?new=1');
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const secret = await page.getByRole('dialog').locator('code').first().innerText();
    expect((await send(gateway, secret)).status).toBe(200);
    await page.goto(`send?${new URLSearchParams({ to: newPhone(), text: TEXT })}`);
    await button(page, 'Send – 1 credit').click();
    await page.getByRole('region', { name: 'Message', exact: true }).getByText('The provider accepted it.').waitFor();
    await context.close();
  });

  test('the operator chooses an account by its name, sees what is its own and nothing of another, and acts for it', async () => {
    const { reference: foreign } = await sendOne();
    const name = `Shop ${crypto.randomUUID().slice(0, 8)}`;
    const reference = `shop-${crypto.randomUUID().slice(0, 8)}`;
    const other = await makeAccount(gateway, name);
    const context = await signedInAsOperator(browser, gateway, complain);
    await send(gateway, other.token, { to: newPhone(), sender: 'ACME', reference });
    const page = await context.newPage();
    await page.goto('logs');
    await page.getByRole('textbox', { name: 'Find an account' }).fill(name);
    await page.getByRole('row').filter({ hasText: name }).click();
    const entries = page.getByRole('list', { name: 'Log entries' }).getByRole('button');
    await entries.filter({ hasText: reference }).waitFor();
    expect(await entries.filter({ hasText: foreign }).count()).toBe(0);
    expect(await entries.count()).toBe(1);
    await page.goto('credits');
    await page.getByText('9 credits').first().waitFor();
    await page.goto('tokens?new=1');
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
    const secret = await page.getByRole('dialog').locator('code').first().innerText();
    expect((await send(gateway, secret, { to: newPhone(), sender: 'ACME' })).status).toBe(200);
    await context.close();
  });
});
