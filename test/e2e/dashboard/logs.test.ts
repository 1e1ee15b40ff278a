import { readFile } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { documentIdOf } from '../../../src/dashboard/app/api/ask.ts';
import {
  FilterChoicesDocument,
  LiveLogDocument,
  LogHistogramDocument,
  LogPageDocument,
  SendPageDocument,
} from '../../../src/dashboard/app/api/operations.generated.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { expectAccessible } from '../../support/browser/accessible.ts';
import { lacksBrowser } from '../../support/browser/chromium.ts';
import { refuseNextPages } from '../../support/browser/refused-pages.ts';
import { setUpPages } from '../../support/browser/set-up-pages.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { ask, operatorTokenOf, send } from '../../support/processes/gateway.ts';

/** Refused by the sandbox over SMS. */
const REFUSED = '+12025550101';

describe.skipIf(lacksBrowser('logs.test.ts'))('the page Logs', () => {
  const { gateway, context, page, forgive, turnTo } = setUpPages({ loadsAll: true });

  const rows = () => page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  const row = (reference: string) => rows().filter({ hasText: reference });

  /** Sends by SMS and answers the reference, by which its row is found. */
  async function sendTo(to: string): Promise<string> {
    const reference = `logs-${crypto.randomUUID().slice(0, 8)}`;
    await send(gateway, gateway.demo.tokens.unified, { to, reference });
    return reference;
  }

  test('a filter is a chip, stands in the URL, and goes by its button', async () => {
    const [failed, sent] = [await sendTo(REFUSED), await sendTo(newPhone())];
    await page.goto('logs');
    await row(sent).waitFor();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitem', { name: 'status' }).click();
    await page.getByRole('option', { name: 'failed' }).click();
    await row(failed).waitFor();
    await expect.poll(() => row(sent).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('status')).toBe('FAILED');
    await page.getByRole('button', { name: 'Remove the filter status' }).click();
    await row(sent).waitFor();
  });

  test('several statuses are chosen, and one taken back from the chip', async () => {
    const [failed, sent] = [await sendTo(REFUSED), await sendTo(newPhone())];
    await page.goto('logs?status=failed');
    await row(failed).waitFor();
    await page.getByRole('button', { name: 'status: failed' }).click();
    for (const status of ['sent', 'delivered']) await page.getByRole('option', { name: status }).click();
    await row(sent).waitFor();
    await row(failed).waitFor();
    expect(new URL(page.url()).searchParams.get('status')).toBe('FAILED,SENT,DELIVERED');
    await page.getByRole('option', { name: 'failed' }).click();
    await expect.poll(() => row(failed).count()).toBe(0);
    await expectAccessible(page);
  });

  test('a country is typed by its name, and a provider by its id', async () => {
    const [british, american] = [await sendTo('+447400123456'), await sendTo(newPhone())];
    await page.goto('logs');
    await row(american).waitFor();
    for (const [field, value] of [
      ['country', 'united kingdom'],
      ['provider', 'sandbox'],
    ] as const) {
      await page.getByRole('button', { name: 'Filter', exact: true }).click();
      await page.getByRole('menuitem', { name: field }).click();
      await page.getByRole('combobox', { name: field }).fill(value);
      await page.keyboard.press('Enter');
    }
    await page.getByText('country: United Kingdom (GB)').waitFor();
    await page.getByText('provider: Sandbox').waitFor();
    await expect.poll(() => row(american).count()).toBe(0);
    await row(british).waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ country: 'GB', provider: 'sandbox' });
  });

  test('the name of a connection comes late, and moves no button', async () => {
    const connectionId = newId('con');
    const name = 'A carrier with a long name, as is given where several are alike';
    const answers = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route, request) => {
      if (request.postDataJSON()?.documentId !== documentIdOf(FilterChoicesDocument)) return await route.fallback();
      await answers.promise;
      await route.fulfill({ json: { data: { connections: [{ connectionId, name }], providers: [] } } });
    });
    await page.goto(`logs?connection=${connectionId}&status=FAILED,SENT&country=US&provider=sandbox`);
    await page.getByText(`connection: ${connectionId}`).waitFor();
    const button = page.getByRole('button', { name: 'Copy as' });
    const before = await button.boundingBox();
    answers.resolve();
    await page.getByText(`connection: ${name}`).waitFor();
    expect(await button.boundingBox()).toEqual(before);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('what came in shows where its type is asked for', async () => {
    const sent = await sendTo(newPhone());
    const query =
      'mutation ($phone: String!) { sandboxReply(input: { phone: $phone, to: "DEMO", text: "Hello" }) { id } }';
    await ask(gateway, gateway.demo.tokens.unified, query, { phone: newPhone() });
    await page.goto('logs');
    await row(sent).waitFor();
    expect(await rows().filter({ hasText: 'received' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByRole('menuitem', { name: 'type' }).click();
    await page.getByRole('option', { name: 'inbound' }).click();
    const received = rows().filter({ hasText: 'received' }).first();
    await received.waitFor();
    await expect.poll(() => row(sent).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('type')).toBe('INBOUND');
    // From the person, to the account.
    expect(await received.innerText()).toMatch(/DEMO\s+\+1 \d{3} 555/);
  });

  test.each(['messages', 'attempts'])('the bars of what came in say so, by %s', async view => {
    const query =
      'mutation ($phone: String!) { sandboxReply(input: { phone: $phone, to: "DEMO", text: "Hello" }) { id } }';
    await ask(gateway, gateway.demo.tokens.unified, query, { phone: newPhone() });
    await page.goto(`logs?type=INBOUND&view=${view}`);
    await rows().first().waitFor();
    const bars = page.getByRole('figure');
    expect(await bars.getByText('received', { exact: true }).count()).toBe(1);
    expect(await bars.locator('rect').count()).toBeGreaterThan(0);
    expect(await page.getByText('Bars count attempts').count()).toBe(0);
    expect(await rows().first().innerText()).toMatch(/received|inbound/);
    expect(await rows().first().innerText()).not.toContain('passcode');
    await rows().first().click();
    const story = page.getByRole('dialog', { name: 'Message' });
    await story.getByRole('link', { name: 'Open the conversation' }).waitFor();
    await story.getByRole('button', { name: 'Close' }).click();
  });

  test('the time is a day of the calendar by a click, and stands in the URL', async () => {
    const reference = await sendTo(newPhone());
    await page.goto('logs');
    await row(reference).waitFor();
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Yesterday');
    await row(reference).waitFor({ state: 'detached' });
    expect(await page.getByRole('switch', { name: 'Live' }).isDisabled()).toBe(true);
    expect(new URL(page.url()).searchParams.get('span')).toBe('yesterday');
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Today');
    await row(reference).waitFor();
    expect(await page.getByRole('switch', { name: 'Live' }).isDisabled()).toBe(false);
  });

  test('says once that there is nothing, and what to do', async () => {
    const counted = page.waitForResponse(
      response => response.request().postData()?.includes(documentIdOf(LogHistogramDocument)) === true,
    );
    await page.goto('logs?from=2026-01-02T03:04:00Z&to=2026-01-03T03:04:00Z');
    await (await counted).finished();
    await page.getByRole('heading', { name: 'Nothing in this period' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Send a message' }).waitFor();
    expect(await page.getByText(/Nothing/).count()).toBe(1);
  });

  test('the time is typed, and stands in the URL', async () => {
    const reference = await sendTo(newPhone());
    await page.goto('logs');
    await row(reference).waitFor();
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Custom …');
    await page.getByLabel('From').fill('2026-01-02T03:04');
    await page.getByLabel('Before').fill('2026-01-02T03:04');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('It must begin before it ends.').waitFor();
    await page.getByLabel('Before').fill('2026-01-03T03:04');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('heading', { name: 'Nothing in this period' }).waitFor();
    const { from, to } = Object.fromEntries(new URL(page.url()).searchParams);
    expect(Date.parse(to ?? '') - Date.parse(from ?? '')).toBe(86_400_000);
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Custom …');
    expect(await page.getByLabel('From').inputValue()).toBe('2026-01-02T03:04');
  });

  test('a link with filters shows what its sender saw', async () => {
    const to = newPhone();
    const [wanted, other] = [await sendTo(to), await sendTo(newPhone())];
    await page.goto(`logs?${new URLSearchParams({ recipient: to, span: '1h' })}`);
    await row(wanted).waitFor();
    expect(await row(other).count()).toBe(0);
  });

  test('a chat that failed and an SMS that arrived are one row, and two by attempts', async () => {
    const reference = `logs-${crypto.randomUUID().slice(0, 8)}`;
    // The sandbox refuses the chat of this phone, and takes its SMS.
    const request = { to: '+12025550102', reference, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' };
    await send(gateway, gateway.demo.tokens.unified, request);
    await page.goto(`logs?${new URLSearchParams({ reference })}`);
    await expect.poll(() => rows().count()).toBe(1);
    await expect.poll(() => row(reference).innerText()).toMatch(/QR chat failed → SMS (sent|delivered)/);
    await page.getByText('Attempts', { exact: true }).click();
    await expect.poll(() => rows().count()).toBe(2);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ reference, view: 'attempts' });
    await page.getByText('Messages', { exact: true }).click();
    await expect.poll(() => rows().count()).toBe(1);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ reference });
  });

  test('a status is that of the message', async () => {
    const to = '+12025550102';
    const reference = `logs-${crypto.randomUUID().slice(0, 8)}`;
    const request = { to, reference, channels: ['chat_qr', 'sms'], chatFrom: '15550000001' };
    await send(gateway, gateway.demo.tokens.unified, request);
    const failed = await sendTo(REFUSED);
    await page.goto('logs?status=FAILED');
    await row(failed).waitFor();
    expect(await row(reference).count()).toBe(0);
    await page.goto('logs?status=FAILED&view=attempts');
    await row(reference).waitFor();
  });

  test('the sends and the tries of a passcode are one row', async () => {
    const to = newPhone();
    const { unified } = gateway.demo.tokens;
    const asked = await ask<{ sendOtp: { pinId: string } }>(
      gateway,
      unified,
      'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }',
      { input: { to, channels: ['SMS'] } },
    );
    const verify = 'mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }';
    // Longer than the code is: it is wrong, whatever the code.
    const input = { pinId: asked.sendOtp.pinId, pin: '1234567' };
    for (let tries = 0; tries < 2; tries += 1) await ask(gateway, unified, verify, { input }).catch(() => undefined);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await expect.poll(() => rows().count()).toBe(1);
    await expect.poll(() => rows().innerText()).toMatch(/passcode[\s\S]*SMS (sent|delivered) → 2 wrong codes/);
    await rows().click();
    await page.getByRole('dialog').waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe(input.pinId);
  });

  test('the row and the drawer of a passcode tell its text from itself', async () => {
    const { unified } = gateway.demo.tokens;
    const { sendOtp } = await ask<{ sendOtp: { pinId: string } }>(
      gateway,
      unified,
      'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }',
      { input: { to: newPhone(), channels: ['SMS'] } },
    );
    const { pinId } = sendOtp;
    const verify = 'mutation ($input: VerifyOtpInput!) { verifyOtp(input: $input) { status } }';
    // Longer than the code is. The fifth ends the passcode, of which the log hears with the next one.
    for (let tries = 0; tries < 5; tries += 1)
      await ask(gateway, unified, verify, { input: { pinId, pin: '1234567' } }).catch(() => undefined);
    await page.goto(`logs?${new URLSearchParams({ pinId })}`);
    await expect.poll(() => rows().innerText()).toMatch(/text (sent|delivered)\n/);
    await rows().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('blocked', { exact: true }).waitFor();
    await dialog.getByText(/^text (sent|delivered)$/).waitFor();
  });

  test.each(['messages', 'attempts'])('the columns of %s have heads', async view => {
    await sendTo(newPhone());
    await page.goto(`logs?view=${view}`);
    await rows().first().waitFor();
    await page.getByText(/^Time, \S+$/).waitFor();
    for (const head of ['Outcome', 'To', 'From', 'Reference']) await page.getByText(head, { exact: true }).waitFor();
  });

  test.each(['messages', 'attempts'])('what is sent shows by itself among %s while live', async view => {
    await page.goto(`logs?live=1&view=${view}`);
    const first = await sendTo(newPhone());
    await row(first).waitFor();
    await row(await sendTo(newPhone())).waitFor();
  });

  test('a message that is told while an older answer is on its way shows by itself', async () => {
    const other = await context.newPage();
    for (const each of [page, other]) {
      await each.goto('logs?live=1');
      await each.getByRole('list', { name: 'Log entries' }).waitFor();
    }
    const [asked, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/graphql', async route => {
      if (route.request().postDataJSON()?.documentId !== documentIdOf(SendPageDocument)) return await route.fallback();
      const response = await route.fetch();
      asked.resolve();
      await later.promise;
      await route.fulfill({ response });
    });
    await sendTo(newPhone());
    await asked.promise;
    const told = await sendTo(newPhone());
    await other.getByText(told).waitFor();
    await other.close();
    later.resolve();
    await row(told).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('is not live while a time is chosen, and is again once that is removed', async () => {
    const before = new URLSearchParams({
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date().toISOString(),
    });
    await page.goto(`logs?live=1&${before}`);
    const live = page.getByRole('switch', { name: 'Live' });
    await live.waitFor();
    expect([await live.isDisabled(), await live.isChecked()]).toEqual([true, false]);
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 24 hours');
    await row(await sendTo(newPhone())).waitFor();
    expect([await live.isDisabled(), await live.isChecked()]).toEqual([false, true]);
  });

  /** Lets the page hear of each entry that is told, and of a thousand like it: as much as it hears of in a day. */
  function tellManifold(liveId: string): void {
    const manifold = (line: string): string => {
      const id = /"id":"att_\w+"/.exec(line)?.[0];
      if (!id) return line;
      const other = () => `"id":"att_${crypto.randomUUID().replaceAll('-', '')}"`;
      return [line, ...Array.from({ length: 1_000 }, () => line.replace(id, other()))].join('\n\nevent: next\n');
    };
    const { fetch } = window;
    window.fetch = async (url, request) => {
      const response = await fetch(url, request);
      if (!String(request?.body).includes(liveId) || !response.body) return response;
      let rest = '';
      const lines = new TransformStream<string, string>({
        transform(chunk, controller) {
          const whole = (rest + chunk).split('\n');
          rest = whole.pop() ?? '';
          for (const line of whole) controller.enqueue(`${manifold(line)}\n`);
        },
      });
      const told = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(lines);
      return new Response(told.pipeThrough(new TextEncoderStream()), response);
    };
  }

  test('the newest page is asked for again where it did not come for what is told all day', async () => {
    let asked = 0;
    let isRefusing = true;
    const live = documentIdOf(LiveLogDocument);
    await turnTo(await context.newPage());
    await page.addInitScript(tellManifold, live);
    await Promise.all([
      page.waitForResponse(response => response.request().postData()?.includes(live) === true),
      page.goto('logs?live=1&view=attempts'),
    ]);
    await page.getByRole('switch', { name: 'Live' }).waitFor();
    await page.route('**/graphql', async (route, request) => {
      const isPage = request.postDataJSON()?.documentId === documentIdOf(LogPageDocument);
      if (isPage) asked += 1;
      if (!isPage || !isRefusing) return await route.fallback();
      const errors = [{ message: 'Not now.', extensions: { code: 'INTERNAL_ERROR' } }];
      await route.fulfill({ json: { errors } });
    });
    await sendTo(newPhone());
    await page.getByText('Not now.').waitFor();
    const refused = asked;
    isRefusing = false;
    await sendTo(newPhone());
    await expect.poll(() => asked).toBeGreaterThan(refused);
    await page.getByText('Not now.').waitFor({ state: 'detached' });
  });

  test('the page scrolls on to the oldest entry', async () => {
    const to = newPhone();
    const oldest = await sendTo(to);
    for (let round = 0; round < 7; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => send(gateway, gateway.demo.tokens.unified, { to })));
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await rows().first().waitFor();
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, 4_000);
        return await row(oldest).count();
      })
      .toBe(1);
  });

  test('keys move through the rows and open one', async () => {
    await sendTo(newPhone());
    await page.goto('logs');
    await rows().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toMatch(/^msg_/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  test.each([
    ['CSV', 'attempts', 'createdAt,type,status,channel,recipient'],
    ['CSV', 'messages', 'createdAt,kind,status,recipient'],
    ['JSON', 'attempts', ''],
    ['JSON', 'messages', ''],
  ])('what is filtered is exported as %s, by the rows of %s', async (format, view, head) => {
    const to = newPhone();
    const [wanted, other] = [await sendTo(to), await sendTo(newPhone())];
    await page.goto(`logs?${new URLSearchParams({ recipient: to, view })}`);
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: `As ${format}` }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain(wanted);
    expect(text).not.toContain(other);
    const entry = { reference: wanted, status: expect.any(String) };
    if (format === 'JSON') expect(JSON.parse(text)).toMatchObject([view === 'attempts' ? entry : { entries: [entry] }]);
    else expect(text.split('\r\n')[0]).toContain(head);
  });

  test('an export waits where requests are limited, and is whole', async () => {
    const wanted = await sendTo(newPhone());
    await page.goto(`logs?${new URLSearchParams({ reference: wanted })}`);
    await row(wanted).waitFor();
    const owner = await operatorTokenOf(gateway);
    const limit = (rateLimit: number | null) =>
      ask(gateway, owner, 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { accountId } }', {
        input: { accountId: gateway.demo.accountId, rateLimit },
      });
    await limit(1);
    await page.getByRole('button', { name: 'Export' }).click();
    const limited = page.waitForResponse(async response => (await response.text()).includes('RATE_LIMITED'));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      limited,
      page.getByRole('menuitem', { name: 'As CSV' }).click(),
    ]);
    await limit(null);
    expect(await readFile(await download.path(), 'utf8')).toContain(wanted);
    // The browser itself says of each refusal that it came.
    forgive('429');
  });

  test.each(['attempts', 'messages'])('the question for %s is copied for a program, and answers there', async view => {
    const to = newPhone();
    const wanted = await sendTo(to);
    await page.goto(`logs?${new URLSearchParams({ recipient: to, view })}`);
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'TypeScript' }).click();
    const sample = await page.evaluate(() => navigator.clipboard.readText());
    const run = new Function('process', 'console', `return (async () => { ${sample} })()`);
    const token = { env: { HELIOGRAPH_UNIFIED_TOKEN: gateway.demo.tokens.unified } };
    const log = vi.fn();
    await run(token, { log });
    const entry = { reference: wanted };
    expect(log.mock.lastCall?.[0]).toMatchObject({
      data: view === 'attempts' ? { logs: { nodes: [entry] } } : { sends: { nodes: [{ entries: [entry] }] } },
    });
  });

  test('the question is copied where the browser gives the page no clipboard, as by plain HTTP', async () => {
    const clipboard = await context.newPage();
    await clipboard.goto('logs');
    await clipboard.evaluate(() => navigator.clipboard.writeText('nothing yet'));
    await turnTo(await context.newPage());
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.goto('logs');
    await page.bringToFront();
    await page.getByRole('button', { name: 'Copy as' }).click();
    await page.getByRole('menuitem', { name: 'curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await clipboard.bringToFront();
    expect(await clipboard.evaluate(() => navigator.clipboard.readText())).toContain('curl -s');
    await clipboard.close();
  });

  test.each([
    ['messages', SendPageDocument],
    ['attempts', LogPageDocument],
  ])('a next page that is refused is asked for again by the button alone, by %s', async (view, operation) => {
    const reference = await sendTo(newPhone());
    const next = await refuseNextPages(page, operation);
    await page.goto(`logs?${new URLSearchParams({ reference, view })}`);
    await page.getByText('Not now.').waitFor();
    await row(reference).click();
    await page.getByRole('dialog').getByText('The provider accepted it.').first().waitFor();
    expect(next.asked()).toBe(1);
    await page.keyboard.press('Escape');
    next.allow();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Nothing older in the chosen time.').waitFor();
  });

  test('a code with a comma behind it filters, and times that are none do not', async () => {
    const [failed, sent] = [await sendTo(REFUSED), await sendTo(newPhone())];
    await page.goto('logs?errorCode=recipient_refused,&from=x&to=y');
    await row(failed).waitFor();
    expect(await row(sent).count()).toBe(0);
  });

  test('an id in the palette leads to its entries', async () => {
    const to = newPhone();
    const { body } = await send(gateway, gateway.demo.tokens.unified, { to });
    const messageId = body.data?.messageId ?? '';
    await sendTo(newPhone());
    await page.goto('logs');
    await rows().first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('A page, or paste an id').fill(messageId);
    await page.keyboard.press('Enter');
    await page.waitForURL(url => url.searchParams.get('messageId') === messageId);
    await expect.poll(() => rows().count()).toBe(1);
  });

  test('the code of an error leads to what mends it', async () => {
    await page.goto('errors#recipient_refused');
    await page.getByText('the sandbox refused this phone').waitFor();
  });
});
