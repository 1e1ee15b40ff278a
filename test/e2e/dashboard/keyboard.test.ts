import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lacksBrowser } from '../../support/browser/chromium.ts';
import { setUpPages } from '../../support/browser/set-up-pages.ts';
import { oncePerFile } from '../../support/fixtures.ts';
import { newPhone } from '../../support/otp/pins.ts';
import { makeEndpoint } from '../../support/processes/endpoints.ts';
import { send, TEXT } from '../../support/processes/gateway.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';

describe.skipIf(lacksBrowser('keyboard.test.ts'))('by the keyboard alone', () => {
  const { gateway, page } = setUpPages({ env: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32' }, loadsAll: true });
  const receiver = oncePerFile(startReceiver, one => one.close());
  let endpointId: string;
  beforeAll(async () => {
    ({ endpointId } = await makeEndpoint(gateway, receiver.url));
  });

  const dialog = () => page.getByRole('dialog');
  const entries = () => page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  const opened = () => new URL(page.url()).searchParams.get('open');
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

  /** The name of what has the focus. */
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null;
      const label = element?.getAttribute('aria-label') ?? (element as HTMLInputElement | null)?.labels?.[0]?.innerText;
      return (label ?? element?.innerText ?? '').trim();
    });

  /** Presses Tab until something of this name has the focus, and answers the names that were passed. */
  async function tabTo(name: string, most = 40): Promise<string[]> {
    const passed: string[] = [];
    while (passed.length < most) {
      await press('Tab');
      passed.push(await focused());
      if (passed.at(-1) === name) return passed;
    }
    throw new Error(`Tab came by ${passed.join(' | ')}, and not to ${name}`);
  }

  /** Sends messages with one reference, by which the log shows these alone, the newest first. Answers their ids so. */
  async function sendMessages(count: number): Promise<{ reference: string; ids: string[]; to: string }> {
    const [to, mark] = [newPhone(), crypto.randomUUID().slice(0, 8)];
    const ids: string[] = [];
    for (let number = 0; number < count; number += 1) {
      const reference = `key-${mark}-${number}`;
      const { body } = await send(gateway, gateway.demo.tokens.unified, { to, reference });
      ids.unshift(body.data?.messageId ?? '');
    }
    return { reference: `key-${mark}-0`, ids, to };
  }

  test('the first Tab skips to the page, and the next reaches its main action', async () => {
    await page.goto('tokens');
    await page.getByRole('button', { name: 'Create token' }).waitFor();
    await press('Tab');
    expect(await focused()).toBe('Skip to the page');
    await press('Enter', 'Tab');
    expect(await focused()).toBe('Create token');
    await press('Enter');
    await dialog().waitFor();
  });

  test('Tab passes every page of the navigation in its order', async () => {
    await page.goto('errors');
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    await links.first().waitFor();
    const paths = await links.evaluateAll(all => all.map(link => link.getAttribute('href')));
    await tabTo('Overview');
    const passed: unknown[] = [];
    for (const _ of paths) {
      passed.push(await page.evaluate(() => document.activeElement?.getAttribute('href')));
      await press('Tab');
    }
    expect(passed).toEqual(paths);
  });

  test('a message is written and sent', async () => {
    await page.goto('send');
    await page.getByRole('textbox', { name: 'To' }).focus();
    await page.keyboard.type(newPhone());
    await tabTo('Text');
    await page.keyboard.type(TEXT);
    await press('Control+Enter');
    const result = page.getByRole('region', { name: 'Message', exact: true });
    await result.getByText('The provider accepted it.').waitFor();
  });

  test('j and k choose an entry of the log, Enter opens it, Escape closes it, and the keys go on from there', async () => {
    const { ids, to } = await sendMessages(3);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await expect.poll(() => entries().count()).toBe(3);
    for (const [keys, index] of [
      [['j'], 0],
      [['j', 'j'], 2],
      [['k'], 1],
    ] as const) {
      await press(...keys, 'Enter');
      await dialog().waitFor();
      expect(opened()).toBe(ids[index]);
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      expect(opened()).toBeNull();
    }
  });

  test('in an open entry j, k and arrows show the next and the previous one, and the list goes on from there', async () => {
    const { ids, to } = await sendMessages(3);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await expect.poll(() => entries().count()).toBe(3);
    await press('j', 'Enter');
    await dialog().waitFor();
    for (const [key, index] of [
      ['j', 1],
      ['ArrowRight', 2],
      ['j', 2],
      ['k', 1],
      ['ArrowLeft', 0],
      ['ArrowRight', 1],
    ] as const) {
      await press(key);
      await expect.poll(opened).toBe(ids[index]);
      await dialog().getByText(`Copy the id: ${ids[index]}`).waitFor({ state: 'attached' });
    }
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await press('j', 'Enter');
    await expect.poll(opened).toBe(ids[2]);
    await dialog().getByRole('button', { name: 'Previous' }).click();
    await expect.poll(opened).toBe(ids[1]);
  });

  test('the JSON of an open entry is as wide as the entry, for left and right lead to others', async () => {
    const { to } = await sendMessages(1);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await entries().first().click();
    await dialog().getByText('JSON', { exact: true }).click();
    const json = dialog().locator('pre', { hasText: '"timeline"' });
    await json.waitFor();
    expect(await json.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  });

  test('one step back leaves the entries that were shown one after another', async () => {
    const { ids, to } = await sendMessages(2);
    await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
    await expect.poll(() => entries().count()).toBe(2);
    await press('j', 'Enter');
    await dialog().waitFor();
    await press('j');
    await expect.poll(opened).toBe(ids[1]);
    await page.goBack();
    await expect.poll(opened).toBeNull();
  });

  test.each(['credits', 'logs'])('? shows the keys on the page %s, and Escape closes them', async path => {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await press('?');
    await dialog().getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await dialog().getByText('Next entry').waitFor();
    await press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  const inFront = [
    { name: 'the keys', key: '?', shown: () => page.getByRole('heading', { name: 'Keyboard shortcuts' }) },
    { name: 'the palette', key: 'Control+k', shown: () => page.getByPlaceholder(/paste an id/) },
    { name: 'a menu', key: 'Enter', on: 'Copy as', shown: () => page.getByRole('menuitem', { name: 'curl' }) },
  ];
  describe.each(inFront)('Escape on $name before an open entry', ({ key, on, shown }) => {
    beforeEach(async () => {
      const { to } = await sendMessages(2);
      await page.goto(`logs?${new URLSearchParams({ recipient: to })}`);
      await expect.poll(() => entries().count()).toBe(2);
      await press('j', 'Enter');
      await dialog().getByText('Copy the id').first().waitFor({ state: 'attached' });
      if (on) await dialog().getByRole('button', { name: on }).focus();
      await press(key);
      await shown().waitFor();
      // A timer of the page gives it the focus, and keys overtake timers.
      await expect.poll(() => shown().evaluate(isFocusBeside)).toBe(true);
    });

    test('closes it alone, and the entry after it', async () => {
      const before = opened();
      await press('j', 'Escape');
      await shown().waitFor({ state: 'detached' });
      expect(opened()).toBe(before);
      await press('Escape');
      await expect.poll(opened).toBeNull();
    });

    test('closes both where it comes twice, without a moment between', async () => {
      await page.evaluate(() => {
        const press = (): unknown =>
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Escape', code: 'Escape', bubbles: true, cancelable: true }),
          );
        press();
        // By now the page has drawn what the first one changed.
        return Promise.resolve().then(press);
      });
      await shown().waitFor({ state: 'detached' });
      await expect.poll(opened).toBeNull();
    });
  });

  test('f opens the filters of the log, and one is chosen by arrows', async () => {
    await sendMessages(1);
    await page.goto('logs');
    await entries().first().waitFor();
    await press('f');
    await page.getByRole('menuitem', { name: 'status' }).waitFor();
    await tabToItem('reference');
    await press('Enter');
    const value = page.getByRole('textbox', { name: 'reference' });
    await value.waitFor();
    await expect.poll(() => value.evaluate(input => input === document.activeElement)).toBe(true);
    await page.keyboard.type('order-1');
    await press('Enter');
    await page.waitForURL(/reference=order-1/);
    await expect.poll(focused).toBe('Filter');
  });

  test('Enter in a filter of a list leaves the focus there', async () => {
    await page.goto('audit');
    await page.getByRole('textbox', { name: 'Subject' }).focus();
    await page.keyboard.type('nothing');
    await press('Enter');
    await page.waitForURL(/subject=nothing/);
    await page.keyboard.type(' else');
    await press('Enter');
    await page.waitForURL(/subject=nothing(\+|%20)else/);
    expect(await focused()).toBe('Subject');
  });

  test('an arrow right after f, before the menu has the focus, leaves the menu open', async () => {
    await page.goto('logs');
    await page.getByRole('button', { name: 'Filter' }).waitFor();
    await page.evaluate(() => {
      const press = (key: string, code: string): unknown =>
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true }));
      return new Promise<void>(resolve => {
        new MutationObserver((_changes, observer) => {
          if (!document.querySelector('[role=menu]')) return;
          observer.disconnect();
          press('ArrowDown', 'ArrowDown');
          resolve();
        }).observe(document.body, { childList: true, subtree: true });
        press('f', 'KeyF');
      });
    });
    await expect.poll(hasMenuFocus).toBe(true);
  });

  const hasMenuFocus = () => page.getByRole('menuitem').first().evaluate(isFocusBeside);

  /** Goes down a menu to an item, once the menu has the focus. */
  async function tabToItem(name: string): Promise<void> {
    await expect.poll(hasMenuFocus).toBe(true);
    for (let step = 0; step < 20; step += 1) {
      await press('ArrowDown');
      if ((await focused()) === name) return;
    }
    throw new Error(`the arrows come to no item ${name}`);
  }

  test('Enter follows a link and presses a button of the log page while an entry is chosen', async () => {
    const { reference } = await sendMessages(1);
    await page.goto(`logs?reference=${reference}`);
    await entries().first().waitFor();
    await press('j');
    await page.getByRole('button', { name: 'Export' }).focus();
    await press('Enter');
    await expect.poll(focused).toBe('As CSV');
    await press('Escape');
    await expect.poll(focused).toBe('Export');
    await page.getByRole('link', { name: 'Senders', exact: true }).focus();
    await press('Enter');
    await page.waitForURL(/\/senders$/);
  });

  test('the palette leads to a message by its id, and Escape leaves it where one was', async () => {
    const { ids } = await sendMessages(1);
    await page.goto('credits');
    const search = page.getByPlaceholder('A page, or paste an id');
    await page.getByRole('heading', { name: 'Credits', level: 1 }).waitFor();
    await press('Control+k');
    await search.waitFor();
    await press('Escape');
    await search.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/dashboard/credits');
    await press('/');
    await search.waitFor();
    await page.keyboard.insertText(ids[0] ?? '');
    await page.getByText(`Message ${ids[0]}`).waitFor();
    await press('Enter');
    await page.waitForURL(url => url.searchParams.get('messageId') === ids[0]);
    await expect.poll(() => entries().count()).toBe(1);
  });

  test('Escape leaves a token that is shown once', async () => {
    await page.goto('tokens');
    await page.getByRole('button', { name: 'Create token' }).click();
    await dialog().getByRole('button', { name: 'Create token' }).click();
    await dialog().getByRole('button', { name: 'Done' }).focus();
    await press('Escape', 'Escape');
    await expect.poll(focused).toBe('Done');
    await press('Enter');
    await dialog().waitFor({ state: 'detached' });
  });

  describe('Escape gives the focus back to what opened', () => {
    test('the story of an entry', async () => {
      const { reference } = await sendMessages(1);
      await page.goto(`logs?reference=${reference}`);
      await entries().first().focus();
      await press('Enter');
      await dialog().waitFor();
      await expect.poll(() => dialog().evaluate(node => node.contains(document.activeElement))).toBe(true);
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      const entry = entries().first();
      await expect.poll(() => entry.evaluate(node => node === document.activeElement)).toBe(true);
    });

    test('a delivery of an endpoint', async () => {
      await sendMessages(1);
      await page.goto(`webhooks/${endpointId}`);
      const row = page.getByRole('table', { name: 'Deliveries' }).locator('tbody tr').filter({ hasText: 'delivered' });
      await row.first().focus();
      await press('Enter');
      await dialog().waitFor();
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(() => row.evaluateAll(rows => rows.some(one => one === document.activeElement))).toBe(true);
    });

    test.each([
      ['tokens', 'Create token'],
      ['account', 'Invite person'],
      ['account', 'Change password'],
      ['account', 'Sign out everywhere'],
    ])('the dialog of %s: %s', async (path, name) => {
      await page.goto(path);
      await page.getByRole('button', { name, exact: true }).focus();
      await press('Enter');
      await dialog().waitFor();
      await expect.poll(() => dialog().evaluate(node => node.contains(document.activeElement))).toBe(true);
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(focused).toBe(name);
    });

    test('a dialog that a menu opened, and the menu', async () => {
      await page.goto(`webhooks/${endpointId}`);
      await page.getByRole('button', { name: 'More actions' }).focus();
      await press('Enter');
      await tabToItem('Rotate secret …');
      await press('Enter');
      await dialog().waitFor();
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(focused).toBe('More actions');
    });

    test('a token that was shown once', async () => {
      await page.goto('tokens');
      await page.getByRole('button', { name: 'Create token' }).focus();
      await press('Enter');
      await dialog().getByRole('button', { name: 'Create token' }).focus();
      await press('Enter');
      await dialog().getByRole('button', { name: 'Done' }).focus();
      await press('Enter');
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(focused).toBe('Create token');
    });

    test('the pages on a phone', async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('tokens');
      await page.getByRole('button', { name: 'Pages' }).focus();
      await press('Enter');
      await dialog().waitFor();
      await press('Escape');
      await dialog().waitFor({ state: 'detached' });
      await expect.poll(focused).toBe('Pages');
    });
  });
});

/** Whether the focus is in the menu or the dialog of an element. */
function isFocusBeside(element: Element): boolean {
  return element.closest('[role=menu], [role=dialog]')?.contains(document.activeElement) ?? false;
}
