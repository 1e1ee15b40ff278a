import { describe, expect, test } from 'vitest';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { makePerson } from '../../../support/browser/people.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { asPerson, signedIn, signIn } from '../../../support/browser/signed-in.ts';
import { turnTab } from '../../../support/browser/tabs.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/processes/accounts.ts';
import { ask, operatorTokenOf, send } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('another-person.test.ts'))('a tab of somebody else', () => {
  const { gateway, browser, page, turnTo, complain } = setUpPages();

  const rows = () => page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  const text = () => page.getByRole('textbox', { name: 'Text', exact: true });

  async function sendOne(): Promise<string> {
    const reference = `whose-${crypto.randomUUID().slice(0, 8)}`;
    await send(gateway, gateway.demo.tokens.unified, { to: newPhone(), reference });
    return reference;
  }

  /** Opens a page in a tab of its own window, and answers who signs somebody of an account in beside it. */
  async function open(path: string, accountId?: string): Promise<() => Promise<void>> {
    const context = await signedIn(browser, gateway, complain);
    await turnTo(await context.newPage());
    await page.goto(path);
    const person = await makePerson('OWNER', gateway, accountId);
    return async () => {
      await turnTab(page, 'hidden');
      await signIn(context, gateway.url, asPerson(person));
      // The page asks who is signed in again where the answer is some seconds old.
      await expect
        .poll(async () => {
          await turnTab(page, 'hidden');
          await turnTab(page, 'visible');
          return await page.getByRole('button', { name: person.email }).count();
        })
        .toBe(1);
    };
  }

  test('shows no rows of another account once it is seen again', async () => {
    const reference = await sendOne();
    const { accountId } = await makeAccount(gateway);
    const another = await open('logs', accountId);
    await rows().filter({ hasText: reference }).waitFor();
    await another();
    await page.getByText('Nothing in this period').waitFor();
    expect(await rows().count()).toBe(0);
  });

  test('shows no draft of another person, and keeps none for them', async () => {
    const another = await open('send');
    await text().fill('For nobody else');
    await another();
    await expect.poll(() => text().inputValue()).toBe('');
  });

  test('follows the log on after a change of the role', async () => {
    const person = await makePerson('OWNER', gateway);
    await turnTo(await (await signedIn(browser, gateway, complain, {}, asPerson(person))).newPage());
    await page.goto('logs?live=1');
    await rows()
      .filter({ hasText: await sendOne() })
      .waitFor();
    const operator = await operatorTokenOf(gateway);
    const { users } = await ask<{ users: { userId: string; email: string }[] }>(
      gateway,
      operator,
      'query ($accountId: String!) { users(accountId: $accountId) { userId email } }',
      { accountId: gateway.demo.accountId },
    );
    const input = { userId: users.find(({ email }) => email === person.email)?.userId, role: 'DEVELOPER' };
    await ask(gateway, operator, 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { role } }', {
      input,
    });
    // An entry that was told before may lead to the first of them, but to no other one.
    await rows()
      .filter({ hasText: await sendOne() })
      .waitFor();
    await rows()
      .filter({ hasText: await sendOne() })
      .waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });
});
