import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible } from '../../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { lookAt, signedInAsOperator } from '../../../support/browser/people.ts';
import { readQr } from '../../../support/browser/read-qr.ts';
import { type PairingPeer, startPairingPeer } from '../../../support/chat-qr/pairing-peer.ts';
import { BAILEYS_DIR, missingLibrary } from '../../../support/chat-qr/peer-library.ts';
import { newNumber } from '../../../support/chat-qr/set-up-numbers.ts';
import { oncePerFile } from '../../../support/fixtures.ts';
import {
  ask,
  type DemoGateway,
  makeFolder,
  operatorTokenOf,
  startDemoGateway,
} from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('connections/link.test.ts'))('the page of connections', () => {
  const browser = oncePerFile(openBrowser, closeWindows);
  const complaints: string[] = [];
  let page: Page;

  /** A window of the operator, who looks at the demo account. */
  async function operatorAt(gateway: DemoGateway): Promise<BrowserContext> {
    const context = await signedInAsOperator(browser as Browser, gateway, text => complaints.push(text));
    await lookAt(gateway.demo.accountId, context);
    return context;
  }
  const dialog = () => page.getByRole('dialog');
  const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click();

  /** Makes a connection by the form. */
  async function connect(name: string, number: string): Promise<void> {
    await page.goto('connections?new=1');
    await dialog().getByLabel('Name').fill(name);
    await dialog().getByRole('combobox', { name: 'Provider' }).click();
    await page.getByRole('option', { name: 'QR-linked chat' }).click();
    await dialog().getByLabel('Number').fill(`+${number}`);
  }

  /** A pattern of a number in the groups of its country. */
  function grouped(number: string): string {
    return `\\+${[...number].join('[ -]?')}`;
  }

  async function acceptRisks(name: string): Promise<void> {
    await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
    await press('Link the phone');
    await dialog().getByText('WhatsApp may ban this number').waitFor();
    await expectAccessible(page);
    await dialog().getByLabel('Your name').fill('Ada Lovelace');
    await press('I accept the risks');
  }

  afterEach(async () => {
    await page.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  describe.skipIf(missingLibrary() !== null)('with the library of linked chats', () => {
    let peer: PairingPeer;
    let gateway: DemoGateway;
    let context: BrowserContext;

    beforeAll(async () => {
      peer = await startPairingPeer();
      gateway = await startDemoGateway({ env: { CHAT_QR_DIR: BAILEYS_DIR, ...peer.env } });
      context = await operatorAt(gateway);
    });
    afterAll(() => peer?.[Symbol.asyncDispose]());
    beforeEach(async () => {
      page = await context.newPage();
    });

    test('links a number by a picture, shows its session, and unlinks it', async () => {
      const number = newNumber();
      await connect('Shop phone', number);
      await press('Test before saving');
      await dialog().getByText('The library is there.').waitFor();
      await expectAccessible(page);
      await press('Create connection');
      await dialog().waitFor({ state: 'detached' });
      await acceptRisks('Shop phone');

      const picture = dialog().getByRole('img', { name: 'QR code that links the phone' });
      await picture.waitFor();
      await dialog()
        .getByText(/^A new code in \d+ s$/)
        .waitFor();
      await expectAccessible(page);
      peer.scan(number, await readQr(picture));
      await dialog().getByText('The phone is linked. The number sends from now on.').waitFor();
      await expectAccessible(page);
      await press('Close');

      await page.getByText(new RegExp(`^${grouped(number)}$`)).waitFor();
      await page.getByText('0 of 5 texts').waitFor();
      await expectAccessible(page);
      await press('Unlink');
      await dialog().getByText('nothing is sent by this number until it is linked again').waitFor();
      await expectAccessible(page);
      await press('Unlink');
      await page.getByText(new RegExp(`^${grouped(number)} is not linked to a phone yet.$`)).waitFor();
      await expect.poll(() => peer.devicesOf(number)).toBe(0);
    });

    test('links a number by a code that is typed into the phone', async () => {
      const number = newNumber();
      await connect('Desk phone', number);
      await press('Create connection');
      await dialog().waitFor({ state: 'detached' });
      await acceptRisks('Desk phone');
      await press('Type a code instead');
      const code = dialog().getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
      await code.waitFor();
      await expectAccessible(page);
      await peer.type(number, (await code.innerText()).replace('-', ''));
      await dialog().getByText('The phone is linked.').waitFor();
    });

    test('shows what WhatsApp lets a number do, its last ack and its lock, and that it is to be linked again', async () => {
      const number = newNumber();
      await connect('Lent phone', number);
      await press('Create connection');
      await dialog().waitFor({ state: 'detached' });
      await acceptRisks('Lent phone');
      const picture = dialog().getByRole('img', { name: 'QR code that links the phone' });
      await picture.waitFor();
      peer.scan(number, await readQr(picture));
      await dialog().getByText('The phone is linked.').waitFor();

      const { linked } = await ask<{ linked: { connectionId: string; name: string }[] }>(
        gateway,
        await operatorTokenOf(gateway),
        'query ($accountId: String) { linked: connections(accountId: $accountId) { connectionId name } }',
        { accountId: gateway.demo.accountId },
      );
      const connectionId = linked.find(({ name }) => name === 'Lent phone')?.connectionId;
      const sendTo = async (to: string) =>
        ask(
          gateway,
          await operatorTokenOf(gateway),
          'mutation ($id: String!, $to: String!) { testConnection(connectionId: $id, to: $to) { outcome } }',
          { id: connectionId, to: `+${to}` },
        );
      /** Waits until the page shows a text on the number, however often it is loaded. */
      const untilShown = (text: string) =>
        expect
          .poll(
            async () => {
              await page.goto('connections');
              await page.getByRole('button', { name: /^Lent phone/ }).click();
              await page.getByText(new RegExp(`^${grouped(number)}$`)).waitFor();
              return page.getByText(text, { exact: true }).count();
            },
            { timeout: 30_000 },
          )
          .toBeGreaterThan(0);

      await sendTo(newNumber());
      await untilShown('Last text taken');
      // Two as WhatsApp told, and the one since.
      await untilShown('3 of 30');
      peer.limits = {
        isLocked: true,
        lockedUntilMs: 1_900_000_000_000,
        newChats: 30,
        newChatsUsed: 9,
        newChatsUntilMs: null,
      };
      const stranger = newNumber();
      peer.acknowledge(stranger, { refusedBy: '463' });
      await sendTo(stranger);
      await untilShown('Locked for new people');
      await expectAccessible(page);
      peer.refuseLogins(number, 401);
      peer.close(number, 401);
      await untilShown('link it again');
      await expectAccessible(page);

      // The end is dated by itself, however long ago the number was linked.
      const linkedAt = '2025-01-02T03:04:05Z';
      await page.route('**/graphql', async route => {
        // A stream has no end to wait for.
        if (route.request().headers().accept?.includes('text/event-stream')) return route.continue();
        const response = await route.fetch();
        const answer: { data?: { connections?: { session: { linkedAt: string } | null }[] } } = await response.json();
        for (const { session } of answer.data?.connections ?? []) if (session) session.linkedAt = linkedAt;
        await route.fulfill({ response, json: answer });
      });
      await untilShown('link it again');
      expect(await page.locator(`time[datetime^="2025"]`).count()).toBe(0);
      await page.unrouteAll({ behavior: 'wait' });
    });
  });

  test('says how the library of linked chats is installed where it is missing', async () => {
    const folder = await makeFolder();
    const command = 'npm install --prefix <CHAT_QR_DIR> baileys@';
    const context = await operatorAt(await startDemoGateway({ env: { CHAT_QR_DIR: folder } }));
    page = await context.newPage();
    await connect('Shop phone', newNumber());
    await press('Test before saving');
    await dialog().getByText(command).waitFor();
    await expectAccessible(page);
    await press('Create connection');
    await dialog().waitFor({ state: 'detached' });
    await acceptRisks('Shop phone');
    await dialog().getByRole('alert').getByText(command).waitFor();
    await expectAccessible(page);
  });
});
