/** The pictures by their names: whose window it is, which page, and what is done on it first. */
import type { Page } from 'playwright-core';

/** The viewer: somebody of the demo account, of an account in which nothing happened yet, the operator, or nobody who is signed in. */
export type Who = 'owner' | 'beginner' | 'operator' | 'nobody';

/** A picture. */
export interface Picture {
  readonly who?: Who;
  readonly path: string;
  /** Opens what the picture is about. */
  readonly act?: (page: Page) => Promise<void>;
}

/** The ids of the pictured things, known only in the run. */
export interface Things {
  readonly invitation: string;
  readonly endpointId: string;
  readonly disabledEndpointId: string;
  readonly failingEndpointId: string;
  readonly connectionId: string;
}

const press =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page) => {
    for (const name of names) await page.getByRole('button', { name }).last().click();
  };

/** The first row of the log, or of what a filter leaves of it. */
const openRow = async (page: Page) => {
  await page.getByRole('list', { name: 'Log entries' }).getByRole('button').first().click();
  await page.getByRole('dialog').getByRole('list', { name: 'Timeline' }).waitFor();
};

/** Begins an answer, so that it shows what it costs. */
const answering = async (page: Page) => {
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes, that’s fine. See you on Friday at eight!');
  await page.getByText('characters').waitFor();
};

/** One of several choices beside each other. */
const choose = (page: Page, name: string) => page.getByText(name, { exact: true }).filter({ visible: true }).click();

/** Answers like a gateway whose database is away. */
const breakIt = async (page: Page) => {
  await page.waitForLoadState();
  await page.route('**/graphql', route =>
    route.fulfill({
      json: {
        errors: [
          {
            message: 'The database does not answer.',
            extensions: { code: 'DATABASE_UNAVAILABLE', requestId: 'req_01a2' },
          },
        ],
      },
    }),
  );
  await page
    .getByRole('button', { name: /^Search/ })
    .filter({ visible: true })
    .click();
  await page.getByPlaceholder('A page').pressSequentially('Webhooks');
  await page.keyboard.press('Enter');
  await page.getByText('The database does not answer.').first().waitFor();
};

/** All of them. */
export function picturesOf(things: Things): Readonly<Record<string, Picture>> {
  const endpoint = `/dashboard/webhooks/${things.endpointId}`;
  return {
    'sign-in': { who: 'nobody', path: '/dashboard/sign-in' },
    'sign-in-operator': { who: 'nobody', path: '/dashboard/sign-in', act: press('Sign in as the operator') },
    'sign-in-refused': {
      who: 'nobody',
      path: '/dashboard/sign-in',
      act: async page => {
        await page.getByRole('textbox', { name: /mail/ }).fill('someone@shop.example');
        await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      },
    },
    invitation: { who: 'nobody', path: things.invitation },
    reset: { who: 'nobody', path: '/dashboard/reset' },
    'second-factor': { path: '/dashboard/second-factor' },
    'choose-account': { who: 'operator', path: '/dashboard' },
    overview: { path: '/dashboard' },
    'overview-7d': { path: '/dashboard?range=7d' },
    'overview-empty': { who: 'beginner', path: '/dashboard' },
    'overview-error': { path: '/dashboard', act: breakIt },
    'overview-30d': { path: '/dashboard?range=30d' },
    palette: { path: '/dashboard', act: page => page.keyboard.press('Control+k') },
    keys: { path: '/dashboard', act: page => page.keyboard.press('?') },
    menu: {
      path: '/dashboard',
      act: async page => {
        const pages = page.getByRole('button', { name: 'Pages' });
        if (await pages.isVisible()) await pages.click();
        await press(/^demo/)(page);
      },
    },
    logs: { path: '/dashboard/logs' },
    'logs-attempts': { path: '/dashboard/logs?view=attempts' },
    'logs-failed': { path: '/dashboard/logs?status=FAILED' },
    'logs-drawer': { path: '/dashboard/logs?status=FAILED', act: openRow },
    'logs-otp-drawer': { path: '/dashboard/logs?type=OTP_VERIFIED', act: openRow },
    'logs-filter': { path: '/dashboard/logs?channel=SMS&status=FAILED,EXPIRED', act: press(/^Filter|^Add filter/) },
    'logs-custom': {
      path: '/dashboard/logs',
      act: async page => void (await page.getByRole('combobox', { name: 'Time' }).selectOption('custom')),
    },
    'logs-none': { path: '/dashboard/logs?errorCode=not_a_code' },
    'logs-empty': { who: 'beginner', path: '/dashboard/logs' },
    requests: { path: '/dashboard/requests' },
    'requests-drawer': {
      path: '/dashboard/requests',
      act: async page => {
        await page.getByRole('table', { name: 'Requests' }).locator('tbody td').first().click();
        await page.getByRole('dialog').getByText('Request id', { exact: true }).waitFor();
      },
    },
    'requests-empty': { who: 'beginner', path: '/dashboard/requests' },
    send: {
      path: '/dashboard/send?to=%2B12025550123&text=Your%20parcel%20arrives%20today%20–%20between%2014:00%20and%2016:00.',
    },
    'send-otp': { path: '/dashboard/send?kind=otp' },
    inbox: { path: '/dashboard/inbox' },
    'inbox-person': { path: '/dashboard/inbox/12025550171', act: answering },
    'inbox-note': { path: '/dashboard/inbox/12025550172', act: async page => void (await choose(page, 'Note')) },
    'inbox-cloud': { path: '/dashboard/inbox/12025550173', act: answering },
    'inbox-suppressed': { path: '/dashboard/inbox/12025550174' },
    'inbox-suppress': { path: '/dashboard/inbox/12025550171', act: press('Suppress …') },
    'inbox-unread': { path: '/dashboard/inbox', act: async page => void (await choose(page, 'Unread')) },
    'inbox-empty': { who: 'beginner', path: '/dashboard/inbox' },
    phones: { path: '/dashboard/phones' },
    'phones-thread': { path: '/dashboard/phones/12025550171' },
    'phones-empty': { who: 'beginner', path: '/dashboard/phones' },
    webhooks: { path: '/dashboard/webhooks' },
    'webhooks-empty': { who: 'beginner', path: '/dashboard/webhooks' },
    'webhooks-new': { path: '/dashboard/webhooks/new' },
    webhook: { path: endpoint },
    'webhook-failing': { path: `/dashboard/webhooks/${things.failingEndpointId}` },
    'webhook-edit': {
      path: endpoint,
      act: async page => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: /^Edit/ }).click();
      },
    },
    'webhook-test': { path: endpoint, act: press('Send test', 'Send test') },
    'webhook-disabled': { path: `/dashboard/webhooks/${things.disabledEndpointId}` },
    'webhook-drawer': {
      path: endpoint,
      act: async page => {
        await page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').first().click();
        await page.getByRole('dialog').getByText('Request').first().waitFor();
      },
    },
    'webhook-rotate': {
      path: endpoint,
      act: async page => {
        await page.getByRole('button', { name: 'More actions' }).click();
        await page.getByRole('menuitem', { name: 'Rotate secret …' }).click();
      },
    },
    'webhook-created': {
      path: '/dashboard/webhooks/new',
      act: async page => {
        await page.getByLabel('URL').fill('http://127.0.0.1:9/hook');
        await page.getByRole('button', { name: 'Choose all' }).click();
        await page.getByRole('button', { name: 'Create endpoint' }).click();
        await page.getByRole('heading', { name: 'Endpoint created' }).waitFor();
      },
    },
    connections: { who: 'operator', path: `/dashboard/connections?open=${things.connectionId}` },
    'connections-new': {
      who: 'operator',
      path: '/dashboard/connections?new=1',
      act: async page => {
        await page.getByRole('combobox', { name: 'Provider' }).click();
        await page.getByRole('option', { name: /SMPP/ }).click();
      },
    },
    'connections-probe': {
      who: 'operator',
      path: '/dashboard/connections?new=1',
      act: async page => {
        await page.getByRole('combobox', { name: 'Provider' }).click();
        await page.getByRole('option', { name: /SMPP/ }).click();
        const values = { Name: 'Carrier', Host: 'smsc.carrier.invalid', Port: '2775', 'System ID': 'gateway' };
        for (const [name, value] of Object.entries(values)) await page.getByRole('textbox', { name }).fill(value);
        await page.getByRole('textbox', { name: 'Password' }).fill('secret');
        await press('Test before saving')(page);
        await page.getByText('No host has the name').last().waitFor();
      },
    },
    'connections-test': { who: 'operator', path: `/dashboard/connections?open=${things.connectionId}&act=test` },
    'connections-edit': { who: 'operator', path: `/dashboard/connections?open=${things.connectionId}&act=edit` },
    'connections-owner': { path: '/dashboard/connections' },
    'connections-empty': { who: 'beginner', path: '/dashboard/connections' },
    senders: { who: 'operator', path: '/dashboard/senders' },
    'senders-empty': { who: 'beginner', path: '/dashboard/senders' },
    credits: { who: 'operator', path: '/dashboard/credits' },
    'credits-adjust': { who: 'operator', path: '/dashboard/credits?act=adjust' },
    'credits-owner': { path: '/dashboard/credits' },
    'credits-alerts': { who: 'operator', path: '/dashboard/credits?act=alerts' },
    'senders-new': { who: 'operator', path: '/dashboard/senders?new=1' },
    templates: { path: '/dashboard/templates' },
    'templates-new': { who: 'operator', path: '/dashboard/templates?new=1' },
    'templates-empty': { who: 'beginner', path: '/dashboard/templates' },
    replies: { path: '/dashboard/replies' },
    'replies-new': { path: '/dashboard/replies?new=1' },
    'replies-words': { path: '/dashboard/replies?act=words' },
    'replies-empty': { who: 'beginner', path: '/dashboard/replies' },
    alerts: { path: '/dashboard/alerts' },
    'alerts-new': {
      path: '/dashboard/alerts?new=1',
      act: async page => {
        await page.getByRole('combobox', { name: 'Tell when' }).click();
        await page.getByRole('option', { name: 'The balance is low' }).click();
      },
    },
    'alerts-edit': { path: '/dashboard/alerts', act: press(/^Edit: /) },
    'alerts-test': { path: '/dashboard/alerts', act: press(/^Test: A webhook/, 'Send test', 'Send another') },
    'alerts-empty': { who: 'beginner', path: '/dashboard/alerts' },
    tokens: { path: '/dashboard/tokens' },
    'tokens-rename': { path: '/dashboard/tokens', act: press(/^Rename /) },
    'tokens-revoke': { path: '/dashboard/tokens', act: press(/^Revoke /) },
    'tokens-new': { path: '/dashboard/tokens?new=1' },
    'tokens-created': {
      who: 'beginner',
      path: '/dashboard/tokens?new=1',
      act: async page => {
        await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
        await page.getByText('Token created').waitFor();
      },
    },
    limits: { path: '/dashboard/limits' },
    'limits-form': { who: 'operator', path: '/dashboard/limits?act=edit' },
    audit: { path: '/dashboard/audit' },
    account: { path: '/dashboard/account' },
    'account-invite': { path: '/dashboard/account?act=invite' },
    errors: { path: '/dashboard/errors' },
    playground: { path: '/graphql' },
    docs: { path: '/docs' },
  };
}
