import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COLOUR_RULES, expectAccessible, expectNoViolations } from '../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { invite, lookAt, signedInAs, signedInAsOperator } from '../../support/browser/people.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { leaveTab, takeTab } from '../../support/browser/tabs.ts';
import { walk } from '../../support/browser/walk.ts';
import { type HttpGateway, openHttpGateway } from '../../support/connections/http-gateway.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import { ask, type DemoGateway, operatorTokenOf, send, startDemoGateway } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';
import { type Receiver, startReceiver } from '../../support/webhooks/receiver.ts';
import { connectTemplates } from '../../support/whatsapp/connected.ts';
import { Graph } from '../../support/whatsapp/graph.ts';

/** Refused by the sandbox over SMS. */
const REFUSED = '+12025550101';

type Who = 'owner' | 'operator' | 'support' | 'viewer' | 'stranger';

/**
 * Whether every scene is looked at in the dark on a wide screen, too. Otherwise those of whole pages are: what else shows is seen in the light
 * on a wide screen, and in the dark on a phone.
 */
const IS_LONG = rounds({ usual: 1, long: 2 }) > 1;

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

/** The state that a page is brought to before the check. */
type Scene = readonly [who: Who, path: string, what: string, bring: (page: Page) => Promise<unknown>];

/** The scenes of one person on one page, with the names of all. */
type Group = readonly [who: Who, page: string, whats: string, scenes: readonly Scene[]];

/** Many times what the scenes of a page take on quiet cores. */
const GROUP_TIMEOUT_MS = 300_000;

/** One load for all scenes of a page: to load it, and to make axe ready there, takes longer than a look. A stranger's pages read their address as they load. */
function groupsOf(scenes: readonly Scene[]): Group[] {
  const groups = Map.groupBy(scenes, scene => {
    const [who, , what] = scene;
    return who === 'stranger' ? what : `${who} ${pageOf(scene)}`;
  });
  return [...groups.values()].flatMap(group => {
    const [first] = group;
    return first ? [[first[0], pageOf(first), group.map(([, , what]) => what).join(', '), group] as const] : [];
  });
}

/** The part of a path that names the page. */
function pageOf([, path]: Scene): string {
  return path.split(/[/?#]/, 1)[0] ?? '';
}

describe.skipIf(lacksBrowser('every-page.test.ts'))(
  'nothing breaks a rule of accessibility, nor scrolls sideways',
  () => {
    let gateway: DemoGateway;
    let browser: Browser;
    let receiver: Receiver;
    let carrier: HttpGateway;
    let graph: Graph;
    let contexts: Readonly<Record<Who, BrowserContext>>;
    /** Values for the placeholders in paths: ids that are known when the gateway runs. */
    const known: Record<string, string> = {};
    const complaints: string[] = [];
    const complain = (text: string) => void (/^Failed to load resource/.test(text) || complaints.push(text));

    beforeAll(async () => {
      const env = { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' };
      [gateway, browser, receiver, carrier, graph] = await Promise.all([
        startDemoGateway({ env }),
        openBrowser(),
        startReceiver((_request, response) => response.writeHead(410).end('{"gone":true}')),
        openHttpGateway(),
        new Graph({}).open(),
      ]);
      await fill();
      const [owner, operator, support, viewer, stranger] = await Promise.all([
        signedIn(browser, gateway, complain),
        signedInAsOperator(browser, gateway, complain),
        signedInAs('SUPPORT', browser, gateway, complain),
        signedInAs('VIEWER', browser, gateway, complain),
        browser.newContext({ baseURL: `${gateway.url}/dashboard/`, viewport: WIDE }),
      ]);
      await lookAt(gateway.demo.accountId, operator);
      contexts = { owner, operator, support, viewer, stranger };
    });
    afterAll(async () => {
      await closeWindows();
      await receiver?.close();
      await carrier?.close();
      await graph?.close();
      expect(complaints).toEqual([]);
    });

    /** Fills the account: sends that arrive and fail, an endpoint that is disabled, a connection, people and an invitation. */
    async function fill(): Promise<void> {
      const { accountId, tokens } = gateway.demo;
      const { endpointId } = await makeEndpoint(gateway, receiver.url);
      const { body } = await send(gateway, tokens.unified, { to: newPhone(), reference: 'order-1' });
      await send(gateway, tokens.unified, { to: REFUSED });
      await send(gateway, tokens.unified, { sender: 'NOBODY' });
      await receiver.hasReceived(1);
      const { createConnection } = await ask<{ createConnection: { connectionId: string } }>(
        gateway,
        await operatorTokenOf(gateway),
        'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { connectionId } }',
        { input: { accountId, provider: 'http-sms', channel: 'SMS', name: 'Carrier', config: carrier.config } },
      );
      await connectTemplates(gateway, graph);
      await ask(
        gateway,
        tokens.management,
        'mutation ($slack: String) { a: createAlertRule(input: { kind: ENDPOINT_FAILING, lastingMinutes: 0, slackUrl: $slack }) { id } b: createAlertRule(input: { kind: BALANCE_LOW }) { id } c: setAutoReply(input: { keyword: "hours", text: "From 9 to 18." }) { keyword } }',
        { slack: receiver.url },
      );
      const { link, email } = await invite(gateway, 'DEVELOPER');
      Object.assign(known, {
        endpointId,
        messageId: body.data?.messageId,
        connectionId: createConnection.connectionId,
        invitation: new URL(link).hash,
        email,
      });
    }

    const dialogOf = (page: Page) => page.getByRole('dialog');
    const click = (name: string | RegExp) => (page: Page) =>
      page.getByRole('button', { name, exact: true }).first().click();
    const shows = (text: string) => (page: Page) => page.getByText(text).first().waitFor();
    const dialog = (page: Page) => dialogOf(page).getByRole('button').last().waitFor();
    const heading = (name: string) => (page: Page) => page.getByRole('heading', { name }).waitFor();
    const inTurn =
      (...steps: ((page: Page) => Promise<unknown>)[]) =>
      async (page: Page) => {
        for (const step of steps) await step(page);
      };
    const choose = (name: string) => (page: Page) => page.getByRole('menuitem', { name }).click();
    const press = (key: string) => (page: Page) => page.keyboard.press(key);
    const loaded = async (page: Page) => {
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
    };
    const show = async (page: Page, colorScheme: 'light' | 'dark', size: typeof WIDE) => {
      await page.setViewportSize(size);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    };
    /** A wide screen in the dark: every scene is looked at on one in the light, and on a phone in the dark. */
    const darkToo = async (page: Page) => {
      await show(page, 'dark', WIDE);
      await expectNoViolations(page, COLOUR_RULES);
    };
    /** And a phone in the light. */
    const allLights = async (page: Page) => {
      await darkToo(page);
      await show(page, 'light', PHONE);
      await expectNoViolations(page, COLOUR_RULES);
      await show(page, 'light', WIDE);
    };
    const rows = (page: Page) => page.getByRole('list', { name: 'Log entries' }).getByRole('button').first().waitFor();
    const row = (table: string) => (page: Page) =>
      page.getByRole('table', { name: table }).locator('tbody tr').first().click();

    const SCENES: readonly Scene[] = [
      ['stranger', 'sign-in', 'the way in of the operator', inTurn(click('Sign in as the operator'), darkToo)],
      ['stranger', 'invitation{invitation}', 'an invitation', inTurn(heading('Accept the invitation'), darkToo)],
      ['stranger', 'invitation#no-such-token', 'an invitation that is over', shows('The invitation is over')],
      ['stranger', 'reset', 'a password that was forgotten', inTurn(heading('Forgot the password'), darkToo)],
      ['stranger', 'reset#no-such-token', 'a link for a new password', heading('Set a new password')],
      ['stranger', 'oidc?state=none', 'a way back that is refused', shows('Back to the sign-in')],
      ['owner', 'second-factor', 'the way to a second factor', heading('Turn on the second factor')],
      ['owner', 'second-factor', 'the secret of a second factor', inTurn(secretShows, darkToo)],
      ['operator', '#choose', 'the choice of an account', inTurn(heading('Choose an account'), darkToo)],
      ['owner', '', 'the overview', inTurn(heading('What fails'), darkToo)],
      ['owner', '', 'the numbers of the overview', inTurn(click('Numbers'), dialog)],
      ['owner', '', 'the palette', inTurn(heading('What fails'), press('Control+k'), shows('Audit trail'))],
      ['owner', '', 'the palette with a number', inTurn(heading('What fails'), press('Control+k'), paste(REFUSED))],
      ['owner', '', 'the keys', inTurn(heading('What fails'), press('?'), shows('Next entry'))],
      ['owner', '', 'the zones', inTurn(click(/^Times in/), shows('Show times in'))],
      ['owner', 'account?act=region', 'the region', inTurn(dialog, open('Country'), shows('Albania'))],
      ['owner', '', 'the menu of the account', inTurn(click(/^demo/), shows('Sign out'))],
      [
        'owner',
        'logs?view=attempts',
        'the log by attempts',
        inTurn(shows('Every attempt to reach a phone'), rows, allLights),
      ],
      ['owner', 'logs', 'the log by messages', inTurn(rows, allLights)],
      [
        'owner',
        'logs?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
        'a time that is typed',
        inTurn(
          async page => void (await page.getByRole('combobox', { name: 'Time' }).selectOption('Custom …')),
          shows('Before'),
        ),
      ],
      ['owner', 'logs', 'the filters of the log', inTurn(click('Filter'), shows('reference'))],
      ['owner', 'logs', 'a filter that is asked for', inTurn(click('Filter'), choose('status'), shows('delivered'))],
      ['owner', 'logs', 'the numbers of the log', inTurn(click('Numbers'), dialog)],
      [
        'owner',
        'logs?open={messageId}',
        'the story of a message',
        inTurn(shows('The provider accepted it.'), openJson, darkToo),
      ],
      ['owner', 'logs?open=msg_0', 'a story that never was', heading('There is no such message')],
      ['owner', 'logs?status=VERIFIED', 'a log without entries', heading('Nothing in this period')],
      ['owner', 'requests', 'what was refused', inTurn(shows('sender_not_approved'), darkToo)],
      ['owner', 'requests', 'a refused request', inTurn(shows('sender_not_approved'), row('Requests'), dialog)],
      ['owner', 'requests?code=plan_expired', 'requests that none passes', heading('No request passes the filter')],
      ['operator', 'requests?strangers=1', 'requests of strangers', heading('Requests')],
      ['owner', 'errors', 'the errors', inTurn(heading('Errors'), darkToo)],
      ['owner', 'send?to=%2B12025550100&text=Hello', 'a draft', inTurn(shows('SMS from DEMO'), darkToo)],
      ['owner', 'inbox', 'an inbox of nobody', inTurn(heading('Nobody has written yet'), darkToo)],
      ['support', 'inbox/442071838750', 'a person who never wrote', shows('Nothing was said yet')],
      ['owner', 'phones/12025550100', 'a phone', inTurn(shows('Nothing came to this phone'), darkToo)],
      ['owner', 'credits', 'a choice that is open', inTurn(open('Kind'), shows('Adjustment'), darkToo)],
      ['owner', 'tokens?new=1', 'a choice that is open in a dialog', inTurn(open('Area'), shows('Management'))],
      ['owner', 'tokens', 'a token that is to be revoked', inTurn(click(/^Revoke/), dialog)],
      ['owner', 'tokens?new=1', 'a token that is shown once', inTurn(dialog, confirm('Create token'), shows('Done'))],
      ['owner', 'webhooks/new', 'an endpoint that was made', madeEndpoint],
      ['owner', 'webhooks/{endpointId}', 'an endpoint', inTurn(shows('410 Gone'), rowsShow, darkToo)],
      ['owner', 'webhooks/{endpointId}', 'a delivery', inTurn(row('Deliveries'), shows('"gone"'))],
      [
        'owner',
        'webhooks/{endpointId}',
        'the edit of an endpoint',
        inTurn(click('More actions'), choose('Edit …'), dialog),
      ],
      [
        'owner',
        'webhooks/{endpointId}',
        'a rotation',
        inTurn(click('More actions'), choose('Rotate secret …'), dialog),
      ],
      ['owner', 'webhooks/{endpointId}', 'a deletion', inTurn(click('More actions'), choose('Delete …'), dialog)],
      ['owner', 'webhooks/{endpointId}', 'a test', inTurn(click('Send test'), dialog)],
      ['owner', 'webhooks/whe_0', 'an endpoint that is not there', heading('There is no such endpoint')],
      ['owner', 'webhooks/deliveries/dlv_0', 'a delivery that is not there', heading('There is no such delivery')],
      ['owner', 'alerts', 'what was told', inTurn(shows('The endpoint 127.0.0.1'), shows('answered 410'), darkToo)],
      ['owner', 'alerts?new=1', 'the form of a rule', inTurn(dialog, open('Tell when'), shows('A connection is down'))],
      ['owner', 'alerts', 'the edit of a rule', inTurn(click(/^Edit/), dialog)],
      ['owner', 'alerts', 'the deletion of a rule', inTurn(click(/^Delete/), dialog)],
      ['viewer', 'alerts?new=1', 'rules as a viewer sees them', shows('You cannot create alert rules')],
      ['owner', 'templates', 'the page templates', inTurn(shows('otp_code'), loaded, allLights)],
      ['owner', 'templates?status=PAUSED', 'templates that none passes', heading('No template passes the filter')],
      [
        'operator',
        'templates',
        'what came of a synchronisation',
        inTurn(click('Synchronise now'), shows('There is one')),
      ],
      ['operator', 'templates?new=1', 'the form of a passcode template', dialog],
      ['viewer', 'templates?new=1', 'templates as a viewer sees them', shows('You cannot create templates')],
      [
        'owner',
        'send?kind=otp&channels=chat_cloud&cloudName=otp_code&cloudLanguage=en_US',
        'the look of a template',
        shows('123456'),
      ],
      [
        'owner',
        'send?channels=chat_cloud&cloudName=otp',
        'names of templates',
        inTurn(open('Template'), page => page.getByRole('option', { name: 'otp_code' }).waitFor()),
      ],
      ['owner', 'replies', 'the page replies', inTurn(shows('HOURS'), loaded, allLights)],
      ['owner', 'replies?new=1', 'the form of an auto-reply', dialog],
      ['owner', 'replies', 'the edit of an auto-reply', inTurn(click(/^Edit/), dialog)],
      ['owner', 'replies', 'the removal of an auto-reply', inTurn(click(/^Remove/), dialog)],
      ['owner', 'replies?act=words', 'the form of the words that stop', dialog],
      ['viewer', 'replies?new=1', 'replies as a viewer sees them', shows('You cannot change replies')],
      ['owner', 'account?act=password', 'the change of a password', dialog],
      ['owner', 'account', 'the question before all sessions end', inTurn(click('Sign out everywhere'), dialog)],
      ['owner', 'account', 'the removal of a person', inTurn(click(/^Remove /), dialog)],
      ['owner', 'account?act=invite', 'an invitation that is shown once', invited],
      ['operator', 'connections?open={connectionId}', 'a connection', shows('The provider reports to this address')],
      ['operator', 'connections?open={connectionId}&act=edit', 'the form of a connection', dialog],
      ['operator', 'connections?open={connectionId}&act=test', 'a test of a connection', dialog],
      ['operator', 'connections?open={connectionId}&act=delete', 'the deletion of a connection', dialog],
      ['operator', 'connections?open={connectionId}&act=renew', 'another address of receipts', dialog],
      ['owner', 'tokens', 'the page tokens', inTurn(loaded, allLights)],
      ['owner', 'senders', 'the page senders', inTurn(loaded, allLights)],
      ['owner', 'connections', 'the page connections', inTurn(loaded, allLights)],
      ['owner', 'credits', 'the page credits', inTurn(loaded, allLights)],
      ['owner', 'limits', 'the page limits', inTurn(loaded, allLights)],
      ['owner', 'audit', 'the page audit', inTurn(loaded, allLights)],
      ['owner', 'account', 'the page account', inTurn(loaded, allLights)],
      ['operator', 'tokens?new=1', 'the form of a token', inTurn(dialog, darkToo)],
      ['operator', 'senders?new=1', 'the form of a sender', dialog],
      ['operator', 'connections?new=1', 'the form of a new connection', dialog],
      ['operator', 'credits?act=adjust', 'a change of the balance', dialog],
      ['operator', 'credits?act=alerts', 'the alerts of the balance', dialog],
      ['operator', 'limits?act=edit', 'the form of the limits', dialog],
      ['operator', 'account?act=plan', 'the form of the plan', dialog],
      ['operator', 'account?act=invite', 'the form of an invitation', dialog],
      ['operator', 'senders', 'the template of a sender', inTurn(click(/^Set template/), dialog)],
      [
        'support',
        'logs?open={messageId}',
        'the question before a text is sent again',
        inTurn(click('Send again'), dialog),
      ],
      ['viewer', 'webhooks/new', 'what a viewer may not', shows('You cannot create endpoints')],
      ['viewer', 'logs?open={messageId}', 'a story as a viewer sees it', shows('The provider accepted it.')],
    ];

    test.each(groupsOf(SCENES))(
      'as %s at %s: %s',
      { timeout: GROUP_TIMEOUT_MS },
      async (who, _page, _whats, scenes) => {
        const tab = await takeTab(contexts[who]);
        for (const [index, [, path, what, bring]] of scenes.entries())
          try {
            const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '');
            // Transitions have ended before each look.
            await show(tab, 'light', WIDE);
            if (index === 0) await tab.goto(address);
            else await showAnew(tab, address);
            await bring(tab);
            await show(tab, 'light', WIDE);
            await expectNoViolations(tab);
            if (IS_LONG) await darkToo(tab);
            await show(tab, 'dark', PHONE);
            await expectNoViolations(tab);
            const widths = () => [document.documentElement.scrollWidth, document.body.scrollWidth];
            expect(await tab.evaluate(widths)).toEqual([390, 390]);
          } catch (cause) {
            throw new Error(`at ${path}: ${what}`, { cause });
          }
        await leaveTab(tab);
      },
    );

    /** Walks to a page by way of another one, so that it is drawn anew. */
    async function showAnew(tab: Page, path: string): Promise<void> {
      const opened = tab.locator('[role=dialog], [role=menu], [role=listbox]').filter({ visible: true });
      for (let left = 3; left > 0 && (await opened.count()) > 0; left -= 1) await tab.keyboard.press('Escape');
      // A load of the page closes what no key can: a dialog whose button is out of sight.
      if ((await opened.count()) > 0) return void (await tab.goto(path));
      const between = tab.getByRole('heading', { name: 'Limits', level: 1 });
      await walk(tab, 'limits');
      await between.waitFor();
      await walk(tab, path);
      await between.waitFor({ state: 'detached' });
    }

    function open(choice: string) {
      return (page: Page) => page.getByRole('combobox', { name: choice }).click();
    }

    async function secretShows(page: Page): Promise<void> {
      await page.getByRole('textbox', { name: 'Your password' }).fill(gateway.demo.dashboard.password);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('img', { name: 'QR code of the secret' }).waitFor();
    }

    function paste(words: string) {
      return async (page: Page) => {
        await page.getByPlaceholder('A page, or paste an id').fill(words);
        await page.getByText('What went to').waitFor();
      };
    }

    function confirm(name: string) {
      return (page: Page) => dialogOf(page).getByRole('button', { name, exact: true }).click();
    }

    async function openJson(page: Page): Promise<void> {
      await dialogOf(page).getByText('JSON', { exact: true }).click();
    }

    async function rowsShow(page: Page): Promise<void> {
      await page.getByRole('table', { name: 'Deliveries' }).waitFor();
    }

    async function madeEndpoint(page: Page): Promise<void> {
      await page.getByLabel('URL').fill(`${receiver.url}/${crypto.randomUUID()}`);
      await page.getByRole('checkbox', { name: 'otp.verified' }).check();
      await page.getByRole('button', { name: 'Create endpoint' }).click();
      await page.getByRole('heading', { name: 'Endpoint created' }).waitFor();
    }

    async function madeToken(page: Page): Promise<void> {
      await page.goto('tokens?new=1');
      await confirm('Create token')(page);
      await page.getByRole('button', { name: 'Done' }).waitFor();
    }

    async function invited(page: Page): Promise<void> {
      await dialogOf(page).getByRole('textbox', { name: 'Email' }).fill(`${crypto.randomUUID()}@people.example`);
      await dialogOf(page).getByRole('button', { name: 'Create invitation' }).click();
      await dialogOf(page).getByRole('button', { name: 'Done' }).waitFor();
    }

    test.each(['./', 'logs', 'logs?view=attempts', 'requests', 'credits', 'tokens', 'audit', 'account'])(
      'at %s nothing scrolls sideways nor leaves its box on a tablet',
      async path => {
        const page = await takeTab(contexts.owner);
        // The row of a token names its maker by an email, which has no blanks.
        if (path === 'tokens') await madeToken(page);
        await page.goto(path);
        await loaded(page);
        for (const width of [760, 1024, 1119, 1120, 1239, 1240]) {
          await page.setViewportSize({ width, height: 900 });
          const beyond = () =>
            [...document.querySelectorAll('main, main a')].filter(box => box.scrollWidth > box.clientWidth).length;
          expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} px`).toBe(width);
          expect(await page.evaluate(beyond), `${width} px`).toBe(0);
        }
        await leaveTab(page);
      },
    );

    test('on a phone the pages are behind a button', async () => {
      const page = await contexts.owner.newPage();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('tokens');
      await page.getByRole('button', { name: 'Pages' }).click();
      await dialogOf(page).getByRole('link', { name: 'Account', exact: true }).waitFor();
      await expectAccessible(page);
      await dialogOf(page).getByRole('link', { name: 'Senders', exact: true }).click();
      await page.waitForURL(/\/senders$/);
      await dialogOf(page).waitFor({ state: 'detached' });
      await page.close();
    });
  },
);
