import type { Browser, BrowserContext, Page } from 'playwright-core';
import decodeQR from 'qr/decode.js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../../src/dashboard/app/api/ask.ts';
import { ConfirmSecondFactorDocument } from '../../../../src/dashboard/app/api/operations.generated.ts';
import { expectAccessible, expectNoViolations } from '../../../support/browser/accessible.ts';
import { closeWindows, lacksBrowser, openBrowser } from '../../../support/browser/chromium.ts';
import { invite, type RoleName } from '../../../support/browser/people.ts';
import { leaveTab, takeTab } from '../../../support/browser/tabs.ts';
import { codeOf } from '../../../support/people/second-factor.ts';
import { type DemoGateway, startDemoGateway } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('second-factor.test.ts'))('a second factor', () => {
  let gateway: DemoGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([startDemoGateway(), openBrowser()]);
    context = await browser.newContext({ baseURL: `${gateway.url}/dashboard/` });
  });
  afterAll(closeWindows);

  beforeEach(async () => {
    page = await takeTab(context);
  });
  afterEach(async () => {
    await leaveTab(page);
    await context.clearCookies();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const heading = (name: string) => page.getByRole('heading', { name });

  /** Has somebody new accept an invitation in this window. */
  async function arrive(role: RoleName): Promise<{ email: string; password: string }> {
    const { email, link } = await invite(gateway, role);
    const password = `the password of ${email}`;
    await page.goto(link);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await button('Accept invitation').click();
    await page.waitForURL(({ pathname }) => !pathname.endsWith('/invitation'));
    return { email, password };
  }

  /** Turns it on at the page that one is led to, and answers what the app and the person keep. */
  async function turnOn(password: string): Promise<{ secret: string; codes: string[] }> {
    await page.getByRole('textbox', { name: 'Your password' }).fill(password);
    await button('Continue').click();
    const secret = new URL(await scan()).searchParams.get('secret') ?? '';
    await page.getByRole('textbox', { name: 'Code of the app' }).fill(codeOf(secret));
    await button('Turn on').click();
    await heading('Keep these codes').waitFor();
    return { secret, codes: await page.getByRole('list', { name: 'Recovery codes' }).locator('li').allInnerTexts() };
  }

  /** Reads the QR code as it is drawn. */
  async function scan(): Promise<string> {
    const image = page.getByRole('img', { name: 'QR code of the secret' });
    const size = Number((await image.getAttribute('viewBox'))?.split(' ')[2]);
    const path = (await image.locator('path').getAttribute('d')) ?? '';
    const scale = 8;
    const width = size * scale;
    const data = new Uint8ClampedArray(width * width * 4).fill(255);
    for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
      for (let place = 0; place < scale * scale; place++) {
        const left = Number(x) * scale + (place % scale);
        const top = Number(y) * scale + Math.floor(place / scale);
        data.fill(0, (top * width + left) * 4, (top * width + left) * 4 + 3);
      }
    return decodeQR({ width, height: width, data });
  }

  async function signIn({ email, password }: { email: string; password: string }): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByRole('textbox', { name: 'Password' }).fill(password);
    await button('Sign in').click();
  }

  /** Axe finds nothing, and nothing is wider than a phone. */
  async function looksWell(): Promise<void> {
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoViolations(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1280, height: 900 });
  }

  test('is turned on by the QR code, asked for at the next sign-in, and turned off', async () => {
    const person = await arrive('DEVELOPER');
    await page.goto('account');
    await page.getByRole('region', { name: 'Second factor' }).getByRole('link', { name: 'Turn on' }).click();
    const { secret, codes } = await turnOn(person.password);
    expect(codes).toHaveLength(10);
    await looksWell();
    await button('I have kept them').click();
    await page.getByText('10 recovery codes').waitFor();

    await page.getByRole('button', { name: /^demo/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await signIn(person);
    const code = page.getByRole('textbox', { name: 'Code of your app' });
    await code.fill('000000');
    expect(await button('Sign in as the operator').count()).toBe(0);
    await button('Sign in').click();
    await page.getByText('The code is wrong, or was used before.').waitFor();
    await looksWell();
    await button('Use a recovery code').click();
    await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] ?? '');
    await button('Sign in').click();
    // A page, of those behind the sign-in.
    await page.getByRole('navigation').first().waitFor();

    await page.goto('account?act=factor-off');
    await page.getByRole('textbox', { name: 'Your password' }).fill(person.password);
    await looksWell();
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(codes[1] ?? '');
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off', exact: true }).click();
    await page.getByRole('region', { name: 'Second factor' }).getByRole('link', { name: 'Turn on' }).waitFor();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  });

  test('is not left while it is turned on', async () => {
    const { password } = await arrive('VIEWER');
    const confirmed = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route, request) => {
      if (request.postDataJSON().documentId === documentIdOf(ConfirmSecondFactorDocument)) await confirmed.promise;
      await route.fallback();
    });
    await page.goto('second-factor');
    const isHeld = expect.poll(() => button('Not now').isDisabled()).toBe(true);
    await Promise.all([turnOn(password), isHeld.finally(confirmed.resolve)]);
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('gives new recovery codes for the password and a code', async () => {
    const { password } = await arrive('VIEWER');
    await page.goto('second-factor#next=/account?act=codes');
    const { codes } = await turnOn(password);
    await button('I have kept them').click();
    await page.getByRole('textbox', { name: 'Your password' }).fill(password);
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(codes[0] ?? '');
    await button('Make new codes').click();
    const fresh = page.getByRole('dialog').getByRole('list', { name: 'Recovery codes' }).locator('li');
    await fresh.first().waitFor();
    await looksWell();
    await page.keyboard.press('Escape');
    expect(new Set([...codes, ...(await fresh.allInnerTexts())]).size).toBe(20);
    await button('I have kept them').click();
    await fresh.first().waitFor({ state: 'detached' });
  });

  test('that an owner requires leads who has none to turn it on, and nowhere else', async () => {
    await arrive('OWNER');
    await heading('What fails').waitFor();
    await page.goto('account');
    const rule = page.getByRole('switch', { name: 'Everybody must have a second factor' });
    await rule.click();
    // The owner who made the rule has no second factor either.
    await heading('Turn on the second factor').waitFor();
    await page.evaluate(() => sessionStorage.setItem('heliograph:draft:of-who-signs-out', '{}'));
    await button('Sign out').click();
    // The next page would break off the request.
    await button('Sign in').waitFor();
    await expect.poll(() => page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('of-who-signs-out');
    const person = await arrive('OWNER');
    await heading('Turn on the second factor').waitFor();
    await looksWell();
    await page.goto('logs');
    await page.getByText('Your account requires it.').waitFor();
    await turnOn(person.password);
    await button('I have kept them').click();
    await heading('Logs').waitFor();
    await page.goto('account');
    await rule.click();
    await expect.poll(() => rule.isChecked()).toBe(false);
  });

  test('that is lost is taken away by an owner', async () => {
    const person = await arrive('SUPPORT');
    await page.goto('second-factor');
    await turnOn(person.password);
    await context.clearCookies();
    await arrive('OWNER');
    await heading('What fails').waitFor();
    await page.goto('account');
    await button(`Take factor away from ${person.email}`).click();
    await looksWell();
    await button('Take it away').click();
    await button(`Take factor away from ${person.email}`).waitFor({ state: 'detached' });
    await context.clearCookies();
    await page.goto('');
    await signIn(person);
    await heading('What fails').waitFor();
  });
});
