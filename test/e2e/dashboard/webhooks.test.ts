import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../src/dashboard/app/api/ask.ts';
import {
  CreateWebhookEndpointDocument,
  WebhookDeliveriesDocument,
} from '../../../src/dashboard/app/api/operations.generated.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { WEBHOOK_EVENTS } from '../../../src/modules/webhooks/events/webhook-events.ts';
import { expectAccessible } from '../../support/browser/accessible.ts';
import { lacksBrowser } from '../../support/browser/chromium.ts';
import { refuseNextPages } from '../../support/browser/refused-pages.ts';
import { setUpPages } from '../../support/browser/set-up-pages.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { oncePerTest } from '../../support/fixtures.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import { ask, makeFolder, operatorTokenOf, send } from '../../support/processes/gateway.ts';
import { REPOSITORY } from '../../support/repository.ts';
import { provesService, provesStandard } from '../../support/webhooks/independent-signatures.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9/hook';

describe.skipIf(lacksBrowser('webhooks.test.ts'))('the pages of webhooks', () => {
  const { gateway, page, forgive } = setUpPages({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }, loadsAll: true });
  const receiver = oncePerTest(startReceiver, one => one.close());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const rows = () => page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr');
  const manage = <Data>(query: string, variables: Record<string, unknown>) =>
    ask<Data>(gateway, gateway.demo.tokens.management, query, variables);

  const make = (url: string, events?: readonly string[]) => makeEndpoint(gateway, url, events);

  const sendMessage = () => send(gateway, gateway.demo.tokens.unified);

  async function choose(action: string): Promise<void> {
    await button('More actions').click();
    await page.getByRole('menuitem', { name: action }).click();
  }

  /** Answers the secret that shows. */
  async function shownSecret(): Promise<string> {
    return (await page.getByText(/^whsec_/).innerText()).trim();
  }

  /** Makes an endpoint on the page, and answers its secret, with the page about it still open. */
  async function createOnPage(): Promise<string> {
    await page.goto('webhooks/new');
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Description').fill('Orders');
    await page.getByLabel('Search events').fill('accepted a message');
    await page.getByRole('checkbox', { name: 'message.sent' }).check();
    await button('Create endpoint').click();
    await page.getByRole('heading', { name: 'Endpoint created' }).waitFor();
    return await shownSecret();
  }

  test('an endpoint is created, and what it is sent is signed with the secret that showed, as the code of both languages finds', async () => {
    const secret = await createOnPage();
    const codes: [language: string, code: string][] = [];
    for (const language of ['Node', 'Python']) {
      await page.getByRole('tab', { name: language }).click();
      codes.push([language, await page.getByRole('tabpanel', { name: language }).locator('pre').innerText()]);
    }
    await sendMessage();
    await receiver.hasReceived(1);
    const [delivery] = receiver.received;
    expect(delivery && provesService(delivery, secret) && provesStandard(delivery, secret)).toBe(true);
    const given = JSON.stringify({ headers: delivery?.headers, body: delivery?.body });
    const changed = JSON.stringify({ headers: delivery?.headers, body: delivery?.body.replace('sent', 'lost') });
    for (const [language, code] of codes) {
      const run = await runnerOf(language, code, secret);
      expect([run(given), run(changed)], language).toEqual(['taken', 'refused']);
    }
    await page.getByRole('link', { name: 'Show endpoint' }).click();
    await rows().filter({ hasText: 'delivered' }).waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
  });

  test('Cancel does not lose the secret while it is made', async () => {
    const made = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route, request) => {
      if (request.postDataJSON().documentId === documentIdOf(CreateWebhookEndpointDocument)) await made.promise;
      await route.fallback();
    });
    await page.goto('webhooks/new');
    await page.getByLabel('URL').fill(receiver.url);
    await button('Choose all').click();
    await button('Create endpoint').click();
    await expect.poll(() => button('Cancel').isDisabled()).toBe(true);
    made.resolve();
    await shownSecret();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('a test is sent from beside the secret, and its answer shows', async () => {
    receiver.answer = (_request, response) => response.writeHead(202).end('{"taken":true}');
    const secret = await createOnPage();
    await button('Send test').click();
    await page.getByText('HTTP 202').waitFor();
    await page.getByText('"taken": true').waitFor();
    const [delivery] = receiver.received;
    expect(delivery && provesService(delivery, secret)).toBe(true);
  });

  test('what was left out is told beside its field, and every event has a sample', async () => {
    await page.goto('webhooks/new');
    await page.getByLabel('URL').fill('example');
    await button('Create endpoint').click();
    await page.getByText('Choose at least one event.').waitFor();
    await button('Choose all').click();
    await button('Sample of otp.verified').click();
    await page.getByText('"event": "otp.verified"').waitFor();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(WEBHOOK_EVENTS.length);
    forgive();
    await button('Create endpoint').click();
    await page.getByText('The URL must be a URL, like https://example.com/webhooks.').waitFor();
  });

  test.each(['http://10.0.0.1/hook', 'https://8.8.8.8:8000/hook'])('%s is refused with the two ways out', async url => {
    await page.goto('webhooks/new');
    await page.getByLabel('URL').fill(url);
    await button('Choose all').click();
    await button('Create endpoint').click();
    await page.getByText(/must be a public http\(s\) address/).waitFor();
    await page.getByText(`npx heliograph webhooks listen --forward ${url}`, { exact: true }).waitFor();
    await page.getByText(/have WEBHOOK_ALLOWED_NETWORKS name it/).waitFor();
    await expectAccessible(page);
  });

  test('the list has 20 rows a page, and its page stands in the URL', async () => {
    for (let number = 0; number < 21; number += 1) await make(`${receiver.url}/${number}`);
    await page.goto('webhooks');
    const endpoints = page.getByRole('table', { name: 'Endpoints' }).locator('tbody tr');
    await expect.poll(() => endpoints.count()).toBe(20);
    await button('Next page').click();
    await page.waitForURL(/page=2/);
    await expect.poll(() => endpoints.count()).toBeGreaterThan(0);
    await expectAccessible(page);
    await page.goBack();
    await expect.poll(() => endpoints.count()).toBe(20);
    const query = '{ webhookEndpoints { rows { endpointId } } }';
    const { webhookEndpoints } = await manage<{ webhookEndpoints: { rows: { endpointId: string }[] } }>(query, {});
    for (const { endpointId } of webhookEndpoints.rows)
      await manage('mutation ($id: String!) { deleteWebhookEndpoint(endpointId: $id) { id } }', { id: endpointId });
  });

  test('a link of a row is opened in a tab of its own, and this one stays', async () => {
    await make(receiver.url);
    await page.goto('webhooks');
    const other = page.context().waitForEvent('page');
    await page
      .getByRole('link', { name: receiver.url })
      .first()
      .click({ modifiers: ['ControlOrMeta'] });
    await (await other).close();
    expect(page.url()).toMatch(/\/webhooks$/);
  });

  test('the list says how fast an endpoint answers', async () => {
    const { endpointId } = await make(receiver.url);
    await manage('mutation ($id: String!) { testWebhookEndpoint(endpointId: $id) { durationMs } }', { id: endpointId });
    await page.goto('webhooks');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${endpointId}"]`) });
    await row.getByTitle('95 % of the tries of the last 100 deliveries were at most as slow').waitFor();
    await expect.poll(() => row.innerText()).toMatch(/100 %\s+(\d+ ms|\d+\.\d s)/);
  });

  test('one that answers 500 is amber with since when and how often, here and on the overview, until it answers', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId } = await make(receiver.url);
    await sendMessage();
    await receiver.hasReceived(1);
    await page.goto('webhooks');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${endpointId}"]`) });
    await row.getByText('retrying', { exact: true }).waitFor();
    await row.getByText(/failing since \d+ \w+, \d\d:\d\d UTC · \d+ failed tr(y|ies) · 1 delivery waits/).waitFor();
    await row.getByRole('img', { name: /0 arrived, 1 failed and are tried again, 0 were given up/ }).waitFor();
    await expectAccessible(page);
    await page.goto('');
    const { host } = new URL(receiver.url);
    const notice = page.getByRole('link', { name: `Endpoint ${host}: every try fails, and 1 delivery waits` });
    await notice.waitFor();
    await expectAccessible(page);
    await notice.click();
    await page.waitForURL(/status=PENDING/);
    await page.getByText('Failing: deliveries are tried again').waitFor();
    await rows().filter({ hasText: 'retrying' }).waitFor();
    await expectAccessible(page);
    receiver.answer = (_request, response) => response.writeHead(204).end();
    await rows().first().getByRole('button', { name: 'Redeliver' }).click();
    await page.getByText('Failing: deliveries are tried again').waitFor({ state: 'hidden' });
    await page.goto('');
    await page.getByText('What was sent, how it went').waitFor();
    await expect.poll(() => notice.count()).toBe(0);
  });

  test('says that tries pause until they go on, and leads to what waits', async () => {
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const { endpointId } = await make(receiver.url);
    await sendMessage();
    await receiver.hasReceived(1);
    const circuitOpenUntil = new Date(Date.now() + 600_000).toISOString();
    await page.route('**/graphql', async route => {
      // A stream has no end to wait for.
      if (route.request().headers().accept?.includes('text/event-stream')) return route.continue();
      const response = await route.fetch();
      const answer: { data?: { webhookEndpoint?: object } } = await response.json();
      if (answer.data?.webhookEndpoint) Object.assign(answer.data.webhookEndpoint, { circuitOpenUntil });
      await route.fulfill({ response, json: answer });
    });
    await page.clock.install();
    await page.goto(`webhooks/${endpointId}`);
    const pause = page.getByText(/Tries pause and go on in \d+ ?m/);
    await pause.waitFor();
    await page.clock.fastForward(660_000);
    await pause.waitFor({ state: 'detached' });
    await page.getByText('Failing: deliveries are tried again').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('link', { name: '1 delivery waits' }).click();
    await page.waitForURL(/status=PENDING/);
    await expect.poll(() => rows().count()).toBe(1);
  });

  test('a delivery shows while it happens, with what was sent and answered, and is made again', async () => {
    let isBusy = true;
    // A machine that is busy may come to the next try before it is redelivered.
    receiver.answer = (_request, response) => response.writeHead(isBusy ? 503 : 204).end(isBusy ? 'busy' : '');
    const { endpointId, secret } = await make(receiver.url);
    await page.goto(`webhooks/${endpointId}`);
    await page.getByText('Nothing was delivered yet').waitFor();
    await sendMessage();
    await rows().filter({ hasText: 'answered 503, not 2xx' }).click();
    await dialog().getByText('busy').first().waitFor();
    await dialog().getByText('HTTP 503').first().waitFor();
    const [first] = receiver.received;
    expect(await dialog().getByText(`POST ${receiver.url}`).count()).toBe(1);
    await dialog().getByText('Raw', { exact: true }).click();
    await dialog()
      .getByText(first?.body ?? '', { exact: true })
      .waitFor();
    await expectAccessible(page);
    isBusy = false;
    await dialog().getByRole('button', { name: 'Redeliver' }).click();
    await dialog().getByText('The endpoint acknowledged it.').waitFor();
    const last = receiver.received.at(-1);
    expect(last && provesService(last, secret) && last.body === first?.body).toBe(true);
    expect(
      await dialog()
        .getByRole('list', { name: /^Tries/ })
        .getByRole('listitem')
        .count(),
    ).toBeGreaterThanOrEqual(2);
    await expectAccessible(page);
  });

  test('a delivery says that the URL is that of now, where it was tried at another one', async () => {
    const { endpointId } = await make(receiver.url, ['message.sent']);
    await sendMessage();
    await receiver.hasReceived(1);
    const query =
      'mutation ($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { endpointId } }';
    await manage(query, { input: { endpointId, url: NOWHERE } });
    await page.goto(`webhooks/${endpointId}`);
    await rows().filter({ hasText: 'delivered' }).click();
    await dialog().getByText(`POST ${NOWHERE}`).waitFor();
    await dialog().getByText('The URL is that of the endpoint now.').waitFor();
    await expectAccessible(page);
  });

  test('the delivery that is open and the filters stand in the URL', async () => {
    const { endpointId } = await make(receiver.url, ['message.sent', 'message.routed']);
    await sendMessage();
    await receiver.hasReceived(2);
    await page.goto(`webhooks/${endpointId}?event=message.routed&http=200&status=DELIVERED&span=1h`);
    await expect.poll(() => rows().count()).toBe(1);
    await rows().first().focus();
    await page.keyboard.press('Enter');
    await dialog().getByText('The endpoint acknowledged it.').waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^dlv_/);
    await page.reload();
    await dialog().getByText('The endpoint acknowledged it.').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'hidden' });
    await page.getByLabel('HTTP status').fill('404');
    await page.getByText('No delivery passes the filter').waitFor();
    await button('Remove the filter').click();
    await expect.poll(() => rows().count()).toBe(2);
  });

  test('the id of a delivery leads to it, and one of an event to what shows it', async () => {
    const { endpointId } = await make(receiver.url);
    await sendMessage();
    await receiver.hasReceived(1);
    const delivery = String(receiver.received[0]?.headers['webhook-id']);
    await page.goto('webhooks');
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    const search = page.getByPlaceholder('A page, or paste an id');
    await page.keyboard.press('Control+k');
    await search.fill(newId('evt'));
    await page.getByText('An event is seen in its deliveries').waitFor();
    await search.fill(newId('led'));
    await page.getByText('No page shows led_… ids').waitFor();
    await search.fill(delivery);
    await page.getByText(`Delivery ${delivery}`).waitFor();
    await page.keyboard.press('Enter');
    await dialog().getByText('The endpoint acknowledged it.').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/dashboard/webhooks/${endpointId}`);
  });

  test.each(['webhooks/whk_01a2018495c972249b137b3a96670d73', 'webhooks/none', 'webhooks/deliveries/none'])(
    '%s, which never was, leads back to the list',
    async path => {
      await page.goto(path);
      await page.getByRole('heading', { name: /^There is no such (endpoint|delivery)/ }).waitFor();
      await page.getByRole('main').getByRole('link', { name: 'The endpoints' }).click();
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
    },
  );

  test('a rotated secret shows once, and both sign', async () => {
    const { endpointId, secret } = await make(receiver.url);
    await page.goto(`webhooks/${endpointId}`);
    await choose('Rotate secret …');
    await dialog().getByText('for 24 hours').waitFor();
    await dialog().getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText(/^whsec_/).waitFor();
    const rotated = await shownSecret();
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Two secrets are in use').waitFor();
    await sendMessage();
    await receiver.hasReceived(1);
    const [delivery] = receiver.received;
    expect(delivery && provesStandard(delivery, rotated) && provesStandard(delivery, secret)).toBe(true);
    expect(rotated).not.toBe(secret);
  });

  test('a paused endpoint gets its deliveries when it is resumed', async () => {
    const { endpointId } = await make(receiver.url);
    await page.goto(`webhooks/${endpointId}`);
    await choose('Pause');
    await page.getByText('Paused: deliveries wait').waitFor();
    await expectAccessible(page);
    await sendMessage();
    await page.reload();
    await rows().filter({ hasText: 'pending' }).waitFor();
    expect(receiver.received).toEqual([]);
    await button('Resume').click();
    await receiver.hasReceived(1);
    await rows().filter({ hasText: 'delivered' }).waitFor();
  });

  test('one that answered 410 says why it is disabled, is enabled, and recovers what it missed', async () => {
    receiver.answer = (_request, response) => response.writeHead(410).end();
    const { endpointId } = await make(receiver.url);
    await page.goto(`webhooks/${endpointId}`);
    await sendMessage();
    await page.getByText(/because it answered 410 Gone/).waitFor();
    receiver.answer = (_request, response) => response.writeHead(204).end();
    await button('Enable endpoint').click();
    await dialog().getByRole('button', { name: 'Recover deliveries' }).click();
    await dialog()
      .getByText(/1 delivery begins again/)
      .waitFor();
    await expectAccessible(page);
    await receiver.hasReceived(2);
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await rows().filter({ hasText: 'delivered' }).waitFor();
  });

  test('one that failed for days offers to recover what it missed from an hour before the first failed try', async () => {
    const { DATABASE_URL } = gateway.env;
    // An embedded database is that of its gateway alone.
    if (!DATABASE_URL) return;
    const { endpointId } = await make(receiver.url);
    const failed = `failing_since = now() - interval '2 days', disabled_at = now(), disabled_reason = 'failing'`;
    const where = `where id = '${toUuid(endpointId)}'`;
    await runSql(DATABASE_URL, `update webhook_endpoints set status = 'disabled', ${failed} ${where}`);
    await page.goto(`webhooks/${endpointId}`);
    await button('Enable endpoint').click();
    const since = await dialog().getByLabel('Since').inputValue();
    const hours = (Date.now() - Date.parse(`${since}Z`)) / 3_600_000;
    expect(hours).toBeGreaterThan(48.9);
    expect(hours).toBeLessThan(49.1);
  });

  test('older deliveries that are refused are asked for again by a button alone', async () => {
    const { endpointId } = await make(receiver.url);
    await sendMessage();
    await receiver.hasReceived(1);
    const next = await refuseNextPages(page, WebhookDeliveriesDocument);
    await page.goto(`webhooks/${endpointId}?live=0`);
    await page.getByText('Not now.').waitFor();
    await rows().first().click();
    await dialog().getByText('The endpoint acknowledged it.').waitFor();
    expect(next.asked()).toBe(1);
    await page.keyboard.press('Escape');
    next.allow();
    await button('Show older').click();
    await page.getByText('Nothing older.').waitFor();
    expect(next.asked()).toBe(2);
  });

  test('an empty page goes on to the older ones, and the last one says that there is none', async () => {
    const { endpointId } = await make(NOWHERE);
    const next = await refuseNextPages(page, WebhookDeliveriesDocument);
    await page.goto(`webhooks/${endpointId}?live=0`);
    await page.getByText('Not now.').waitFor();
    expect(await page.getByText('Nothing was delivered yet').count()).toBe(0);
    next.allow();
    await button('Show older').click();
    await page.getByText('Nothing was delivered yet').waitFor();
  });

  test('what is edited is saved', async () => {
    const { endpointId } = await make(NOWHERE);
    await page.goto(`webhooks/${endpointId}`);
    await choose('Edit …');
    await dialog().getByLabel('URL').fill(receiver.url);
    await dialog().getByLabel('Description').fill('Parcels');
    await dialog().getByRole('checkbox', { name: 'sms.sent' }).check();
    await dialog().getByRole('button', { name: 'Save changes' }).click();
    await dialog().waitFor({ state: 'hidden' });
    await page.getByText(/Parcels/).waitFor();
    await sendMessage();
    await receiver.hasReceived(2);
    expect(receiver.received.map(({ body }) => JSON.parse(body).event).sort()).toEqual(['message.sent', 'sms.sent']);
  });

  test('deleting asks for the name of the host, and the endpoint is gone', async () => {
    const { endpointId } = await make(receiver.url);
    await page.goto(`webhooks/${endpointId}`);
    await choose('Delete …');
    const remove = dialog().getByRole('button', { name: 'Delete endpoint' });
    expect(await remove.isDisabled()).toBe(true);
    await dialog()
      .getByLabel(/to confirm$/)
      .fill(new URL(receiver.url).host);
    await remove.click();
    await page.waitForURL(/\/webhooks$/);
    await expect.poll(() => page.getByText(receiver.url).count()).toBe(0);
  });

  test('all is blocked with a notice while the unified API is off', async () => {
    const operator = await operatorTokenOf(gateway);
    const turn = async (unifiedApi: boolean): Promise<void> => {
      const input = { accountId: gateway.demo.accountId, unifiedApi };
      const query = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { accountId } }';
      await ask(gateway, operator, query, { input });
    };
    await turn(false);
    try {
      for (const path of ['webhooks', 'webhooks/new']) {
        await page.goto(path);
        await page.getByText('Webhooks need the unified API, which is off for this account').waitFor();
        await expectAccessible(page);
      }
    } finally {
      await turn(true);
    }
    forgive();
  });

  test.each(['webhooks', 'webhooks/new'])('%s is accessible, and nothing scrolls sideways on a phone', async path => {
    await make(NOWHERE);
    await page.goto(path);
    await page.getByRole('table').or(page.getByRole('checkbox').first()).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});

/** Runs the code of a language on a delivery, and answers whether it was `taken` or `refused`. */
async function runnerOf(language: string, code: string, secret: string): Promise<(delivery: string) => string> {
  const folder = await makeFolder();
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret };
  const start = (program: string, file: string) => (input: string) =>
    execFileSync(program, [file], { cwd: folder, env, input, encoding: 'utf8' }).trim();
  if (language === 'Python') {
    await writeFile(join(folder, 'receive.py'), code + PYTHON_HARNESS);
    return start('python3', 'receive.py');
  }
  await mkdir(join(folder, 'node_modules'));
  await symlink(REPOSITORY, join(folder, 'node_modules/heliograph'));
  await writeFile(join(folder, 'receive.mjs'), code + NODE_HARNESS);
  return start(process.execPath, 'receive.mjs');
}

const PYTHON_HARNESS = `
import os, sys
from email.message import Message
given, headers = json.load(sys.stdin), Message()
for name, value in given["headers"].items():
    headers[name] = value
try:
    verify_webhook(headers, given["body"].encode(), os.environ["WEBHOOK_SECRET"])
    print("taken")
except ValueError:
    print("refused")
`;

const NODE_HARNESS = `
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
async function enqueue() {}
const { headers, body } = await json(process.stdin);
const response = { writeHead: status => (console.log(status === 204 ? 'taken' : 'refused'), response), end() {} };
await receive(Object.assign(Readable.from([Buffer.from(body)]), { headers }), response);
`;
