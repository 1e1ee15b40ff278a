import { readFile } from 'node:fs/promises';
import { describe, expect, inject, test } from 'vitest';
import { documentIdOf } from '../../../../src/dashboard/app/api/ask.ts';
import {
  AnswerDocument,
  ConversationDocument,
  InboxPeopleDocument,
  MarkReadDocument,
} from '../../../../src/dashboard/app/api/operations.generated.ts';
import { expectAccessible, expectNoViolations } from '../../../support/browser/accessible.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { signedInAs } from '../../../support/browser/people.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { openHttpGateway } from '../../../support/connections/http-gateway.ts';
import { runSql } from '../../../support/databases/postgres.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/processes/accounts.ts';
import { runCommand } from '../../../support/processes/cli.ts';
import { ask, operatorTokenOf, TEXT } from '../../../support/processes/gateway.ts';
import { shellWords } from '../../../support/rules/shell-words.ts';

/** A test that changes the database of the gateway: an embedded one is that of its gateway alone. */
const testBySql = test.skipIf(inject('testDatabase').kind === 'pglite');

/** The number `+12025550142` as pages show it. */
const shown = (phone: string): string => `+1 ${phone.slice(2, 5)} ${phone.slice(5, 8)} ${phone.slice(8)}`;

describe.skipIf(lacksBrowser('inbox.test.ts'))('the inbox', () => {
  const { gateway, browser, context, page, complain } = setUpPages();

  const people = () => page.getByRole('navigation', { name: 'People' });
  const row = (text: string) => people().getByRole('link').filter({ hasText: text });
  const said = () => page.getByRole('log', { name: 'Conversation' });
  const form = () => page.getByRole('form', { name: 'Answer' });
  const box = () => form().getByRole('textbox', { name: 'Answer' });
  const badge = () => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Inbox/ });
  const token = () => gateway.demo.tokens.unified;

  /** A phone of the sandbox writes. */
  async function write(phone: string, text: string, to = 'DEMO', by = token()): Promise<void> {
    const input = { phone, to, text };
    await ask(gateway, by, 'mutation ($input: SandboxReplyInput!) { sandboxReply(input: $input) { id } }', { input });
  }

  /** Opens the conversation with a phone that has written once, to an account of its own. */
  async function openFirst(): Promise<{ phone: string; own: string }> {
    const { token: own } = await makeAccount(gateway);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${own}` });
    const phone = newPhone();
    await write(phone, `${TEXT} I`, 'ACME', own);
    await page.goto(`inbox/${phone.slice(1)}`);
    await said().getByText(`${TEXT} I`, { exact: true }).waitFor();
    await page.waitForURL(/\/inbox\/prs_/);
    return { phone, own };
  }

  async function textsOn(phone: string): Promise<{ text: string; from: string }[]> {
    const query = 'query ($to: String!) { sandboxMessages(to: $to) { text from } }';
    return (await ask<{ sandboxMessages: { text: string; from: string }[] }>(gateway, token(), query, { to: phone }))
      .sandboxMessages;
  }

  test('lists people with what nobody has read, reads it for the whole account, and the navigation counts the people', async () => {
    const { token: own } = await makeAccount(gateway);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${own}` });
    const [one, other] = [newPhone(), newPhone()];
    await write(one, `${TEXT} I`, 'ACME', own);
    await write(one, `${TEXT} II`, 'ACME', own);
    await write(other, `${TEXT} III`, 'ACME', own);
    await page.goto('limits');
    await badge().getByText('2 people wrote').waitFor();
    await badge().click();
    await expect
      .poll(() => people().getByRole('link').allInnerTexts())
      .toEqual([
        expect.stringMatching(new RegExp(`${shown(other).replaceAll('+', '\\+')}.+ III.+1\\s+unread text`, 's')),
        expect.stringMatching(new RegExp(`${shown(one).replaceAll('+', '\\+')}.+ II.+2\\s+unread texts`, 's')),
      ]);
    await row(' II').last().click();
    await said().getByText(`${TEXT} I`, { exact: true }).waitFor();
    await row(' II').last().getByText('unread').waitFor({ state: 'detached' });
    await badge().getByText('1 person wrote').waitFor();
    await page.getByText('Unread', { exact: true }).click();
    await expect.poll(() => people().getByRole('link').count()).toBe(1);
    await row(' III').click();
    await people().getByText('All is read.').waitFor();
    await expect.poll(() => badge().innerText()).toBe('Inbox');
  });

  test('shows what comes while it is looked at, and tells of it wherever one is', async () => {
    const { phone, own } = await openFirst();
    await write(phone, `${TEXT} II`, 'ACME', own);
    await said().getByText(`${TEXT} II`, { exact: true }).waitFor();
    await row(`${TEXT} II`).waitFor();
    await expect.poll(() => badge().innerText()).toBe('Inbox');
    await page.goto('limits');
    await write(newPhone(), `${TEXT} III`, 'ACME', own);
    await badge().getByText('1 person wrote').waitFor();
  });

  test('shows what comes while an older answer is on its way', async () => {
    const { phone, own } = await openFirst();
    const [asked, later, shown] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    await page.route('/graphql', async route => {
      const { documentId } = route.request().postDataJSON();
      // Whoever may not mark what is read, or has not yet, asks for nothing by it.
      if (documentId === documentIdOf(MarkReadDocument)) await shown.promise;
      if (documentId !== documentIdOf(ConversationDocument)) return await route.fallback();
      // Answered before the next text came, and on its way until then.
      const response = await route.fetch();
      asked.resolve();
      await later.promise;
      await route.fulfill({ response });
    });
    await write(phone, `${TEXT} II`, 'ACME', own);
    await asked.promise;
    await write(phone, `${TEXT} III`, 'ACME', own);
    await row(`${TEXT} III`).waitFor();
    later.resolve();
    await said().getByText(`${TEXT} III`, { exact: true }).waitFor();
    shown.resolve();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('an answer says by what it goes and what it costs, arrives at the phone, and shows how it stands on both pages', async () => {
    const phone = newPhone();
    await write(phone, `${TEXT} I`);
    await page.goto(`inbox/${phone.slice(1)}`);
    await form().getByText('SMS from DEMO.').waitFor();
    await box().fill(`${TEXT}: ${'at nine. '.repeat(20)}`);
    await form().getByText('2 segments of SMS · 2 credits').waitFor();
    await form().getByRole('button', { name: 'Answer – 2 credits' }).waitFor();
    await box().fill(`${TEXT} at nine`);
    await form().getByText('1 segment of SMS · 1 credit').waitFor();
    await box().press('Control+Enter');
    const bubble = said()
      .getByRole('article')
      .filter({ hasText: `${TEXT} at nine` });
    await bubble.getByText('SMS from DEMO').waitFor();
    await bubble.getByRole('link', { name: 'delivered' }).waitFor();
    await expect.poll(() => box().inputValue()).toBe('');
    expect(await textsOn(phone)).toEqual([{ text: `${TEXT} at nine`, from: 'DEMO' }]);
    const phones = await context.newPage();
    await phones.goto(`phones/${phone.slice(1)}`);
    const answer = phones.getByRole('form', { name: 'Answer as this phone' });
    await answer.getByRole('textbox').fill(`${TEXT}, thanks`);
    await answer.getByRole('button', { name: 'Answer' }).click();
    await phones.getByRole('log').getByText(`${TEXT}, thanks`, { exact: true }).waitFor();
    await phones.close();
    await said().getByText(`${TEXT}, thanks`, { exact: true }).waitFor();
    await bubble.getByRole('link', { name: 'delivered' }).click();
    await page.getByRole('dialog').getByText('The provider accepted it.').first().waitFor();
  });

  test('an answer that is begun stays where the list of people fails', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    await page.goto(`inbox/${phone.slice(1)}`);
    await box().fill(`${TEXT} at nine`);
    await page.route('/graphql', (route, request) =>
      request.postDataJSON().documentId === documentIdOf(InboxPeopleDocument)
        ? route.fulfill({ json: { errors: [{ message: 'No.', extensions: { code: 'INTERNAL_ERROR' } }] } })
        : route.fallback(),
    );
    await people().getByText('Unread', { exact: true }).click();
    await page.getByText('No.', { exact: true }).waitFor();
    expect(await box().inputValue()).toBe(`${TEXT} at nine`);
    await people().getByText('All', { exact: true }).click();
    await row(shown(phone)).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('nothing is typed into an answer while it is under way, so that its end is told', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    await page.goto(`inbox/${phone.slice(1)}`);
    const answered = Promise.withResolvers<void>();
    await page.route('/graphql', async (route, request) => {
      if (request.postDataJSON().documentId === documentIdOf(AnswerDocument)) await answered.promise;
      await route.fallback();
    });
    await box().fill(`${TEXT} at nine`);
    await box().press('Control+Enter');
    await form().locator('button[data-loading]').waitFor();
    await box().pressSequentially(' or ten');
    answered.resolve();
    await said().getByText(`${TEXT} at nine`, { exact: true }).waitFor();
    await expect.poll(() => box().inputValue()).toBe('');
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('a text from right to left is set so, where it came and where it is typed', async () => {
    const { phone, own } = await openFirst();
    const text = 'שלום, Heliograph.';
    await write(phone, text, 'ACME', own);
    const shows = [said().getByText(text), row(phone.slice(-4)).getByText(text)];
    for (const place of shows) {
      await place.waitFor();
      const [first = 0, last = 0] = await place.evaluate(element => {
        const node = element.firstChild;
        if (!node) throw new Error('there is no text');
        return [0, (node.textContent ?? '').length - 1].map(at => {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + 1);
          return range.getBoundingClientRect().left;
        });
      });
      // Its full stop is on the left.
      expect(last).toBeLessThan(first);
    }
    // Each line of it by its first letter.
    expect(await box().evaluate(input => getComputedStyle(input).unicodeBidi)).toBe('plaintext');
  });

  test('a passcode is a line without its code', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    const input = { to: phone, channels: ['SMS'] };
    await ask(gateway, token(), 'mutation ($input: SendOtpInput!) { sendOtp(input: $input) { pinId } }', { input });
    const [{ text = '' } = {}] = await textsOn(phone);
    const code = /\d{6}/.exec(text)?.[0] ?? 'no code';
    await page.goto(`inbox/${phone.slice(1)}`);
    await said().getByText('Passcode · SMS').waitFor();
    const main = await page.getByRole('main').innerText();
    expect([main.includes(code), main.includes('verification code')]).toEqual([false, false]);
  });

  test('a person is exported into a file, and erased', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    await page.goto(`inbox/${phone.slice(1)}`);
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe(`heliograph-person-${phone.slice(1)}.json`);
    const file = JSON.parse(await readFile(await saved.path(), 'utf8'));
    expect(file.to).toBe(phone.slice(1));
    expect(JSON.stringify(file.records)).toContain(TEXT);
    await page.getByRole('button', { name: 'Erase …' }).click();
    const dialog = page.getByRole('dialog', { name: `Erase ${shown(phone)}` });
    await dialog.waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Erase for good' }).click();
    await page.waitForURL(/\/inbox$/);
    await page.goto(`inbox/${phone.slice(1)}`);
    await page.getByText('Nothing was said yet, or nothing is kept of it.').waitFor();
  });

  test('who is suppressed gets no answer, and the refusal says why, until one takes them off the list', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    await page.goto(`inbox/${phone.slice(1)}`);
    await page.getByRole('button', { name: 'Suppress …' }).click();
    const dialog = page.getByRole('dialog', { name: `Suppress ${shown(phone)}` });
    await dialog.getByRole('textbox', { name: 'Reason' }).fill('Asked by phone');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('Gets no messages: the account suppressed the person (Asked by phone)').waitFor();
    await box().fill(`${TEXT}?`);
    await box().press('Control+Enter');
    await form().getByRole('link', { name: 'recipient_suppressed' }).waitFor();
    expect(await textsOn(phone)).toEqual([]);
    await page.getByRole('button', { name: 'Take off the list …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take off the list' }).click();
    await page.getByText('Gets no messages').waitFor({ state: 'detached' });
    await form()
      .getByRole('button', { name: /^Answer/ })
      .click();
    await said().getByText(`${TEXT}?`, { exact: true }).waitFor();
  });

  test('support answers and writes a note, which others see with its author and remove; it sends to nobody new', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    const support = await signedInAs('SUPPORT', browser, gateway, complain);
    const theirs = await support.newPage();
    await theirs.goto(`inbox/${phone.slice(1)}`);
    const log = theirs.getByRole('log', { name: 'Conversation' });
    await theirs
      .getByRole('form', { name: 'Answer' })
      .getByRole('textbox', { name: 'Answer' })
      .fill(`${TEXT} by support`);
    await theirs.getByRole('button', { name: 'Answer – 1 credit' }).click();
    await log.getByText(`${TEXT} by support`, { exact: true }).waitFor();
    await theirs.getByText('Note', { exact: true }).click();
    const note = theirs.getByRole('form', { name: 'Note about this person' });
    await note.getByRole('textbox').fill('Prefers to be called after six.');
    await note.getByRole('button', { name: 'Add note' }).click();
    await log.getByRole('article', { name: 'Note' }).getByText('Prefers to be called after six.').waitFor();
    expect(await theirs.getByRole('link', { name: 'Send a message' }).count()).toBe(0);
    await support.close();
    await page.goto(`inbox/${phone.slice(1)}`);
    const seen = said().getByRole('article', { name: 'Note' });
    await seen.getByText(/^Note by \w+@people\.example · /).waitFor();
    await expectAccessible(page);
    await seen.getByRole('button', { name: 'Remove the note' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove note' }).click();
    await seen.waitFor({ state: 'detached' });
  });

  test('a person is found by the last digits of the number and by the words of an older text', async () => {
    const [one, other] = [newPhone(), newPhone()];
    await write(one, `${TEXT} of ${one}`);
    await write(other, `${TEXT} of ${other}`);
    await write(other, 'And another one.');
    await page.goto('inbox');
    const find = people().getByRole('textbox', { name: 'Find a person' });
    await find.fill(one.slice(-7));
    await expect.poll(() => people().getByRole('link').allInnerTexts()).toEqual([expect.stringContaining(shown(one))]);
    await find.fill(`harbour of ${other}`);
    await expect
      .poll(() => people().getByRole('link').allInnerTexts())
      .toEqual([expect.stringContaining(shown(other))]);
    await find.fill('nobody says so');
    await people().getByText('No person has these words.').waitFor();
  });

  /** Opens the inbox of an account of its own, to which a person without a number has written. */
  async function openUnnumbered() {
    const carrier = await openHttpGateway();
    const account = await makeAccount(gateway);
    const inbound = { from: 'query:from', to: 'query:to', text: 'query:text' };
    const connectionId = await account.connect('Carrier', { ...carrier.config, inbound });
    const { receiptsUrl } = (
      await ask<{ connections: { connectionId: string; receiptsUrl: string }[] }>(
        gateway,
        await operatorTokenOf(gateway),
        'query ($id: String!) { connections(accountId: $id) { connectionId receiptsUrl } }',
        { id: account.accountId },
      )
    ).connections.find(one => one.connectionId === connectionId) ?? { receiptsUrl: '' };
    const parts = new URLSearchParams({ from: 'quay.ada', to: 'ACME', text: TEXT });
    expect((await fetch(`${receiptsUrl}/inbound?${parts}`)).status).toBe(200);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${account.token}` });
    await page.goto('inbox');
    return { account, carrier };
  }

  test('a person without a number is called by the id of the channel, and is answered', async () => {
    const { carrier } = await openUnnumbered();
    await row('quay.ada').click();
    await page.getByRole('heading', { name: 'quay.ada' }).waitFor();
    await box().fill(`${TEXT}!`);
    await form().getByRole('button', { name: 'Answer – 1 credit' }).click();
    await said().getByText(`${TEXT}!`, { exact: true }).waitFor();
    expect(carrier.messages.map(({ to, text }) => ({ to, text }))).toEqual([{ to: 'quay.ada', text: `${TEXT}!` }]);
    await said()
      .getByRole('article')
      .filter({ hasText: `${TEXT}!` })
      .getByRole('link')
      .click();
    await page.getByRole('button', { name: 'Send again' }).click();
    const again = page.getByRole('dialog', { name: 'Send again' });
    await again.getByText('goes to quay.ada once more').waitFor();
    // The page Send takes numbers alone.
    expect(await again.getByRole('link', { name: 'Change it first' }).count()).toBe(0);
    await carrier.close();
  });

  testBySql('a person without a number is called by the name once there is one', async () => {
    const { account, carrier } = await openUnnumbered();
    await row('quay.ada').click();
    await page.getByRole('heading', { name: 'quay.ada' }).waitFor();
    await runSql(
      gateway.env.DATABASE_URL ?? '',
      `update people set name = 'Ada of the quay' where account_id = ${uuidOf(account.accountId)}`,
    );
    await page.reload();
    await page.getByRole('heading', { name: 'Ada of the quay' }).waitFor();
    await page.getByRole('main').getByText('quay.ada SMS').waitFor();
    await people().getByRole('textbox', { name: 'Find a person' }).fill('of the quay');
    await expect.poll(() => row('Ada of the quay').count()).toBe(1);
    await carrier.close();
  });

  /** Opens the conversation with a phone that has just written to the cloud number, and answers the phone. */
  async function openCloud(): Promise<string> {
    const { senders } = await ask<{ senders: { name: string; channel: string }[] }>(
      gateway,
      token(),
      '{ senders { name channel } }',
    );
    const number = senders.find(({ channel }) => channel === 'CHAT_CLOUD')?.name ?? '';
    const phone = newPhone();
    await write(phone, TEXT, `+${number}`);
    await page.goto(`inbox/${phone.slice(1)}`);
    return phone;
  }

  test('a cloud chat says until when free text goes', async () => {
    await openCloud();
    await form()
      .getByText(/^Cloud chat from .+\. Free text until \d.+, \d\d:\d\d .+\.$/)
      .waitFor();
  });

  testBySql('a cloud chat takes a template once free text goes no longer', async () => {
    const phone = await openCloud();
    await form()
      .getByText(/Free text until/)
      .waitFor();
    const { DATABASE_URL = '' } = gateway.env;
    const hours = `received_at - interval '24 hours'`;
    await runSql(
      DATABASE_URL,
      `update inbound_messages set received_at = ${hours} where from_number = '${phone.slice(1)}'`,
    );
    await page.reload();
    await form().getByText('They have not written for 24 hours: a template is needed.').waitFor();
    await box().fill(TEXT);
    const send = form().getByRole('button', { name: 'Answer' });
    expect(await send.isDisabled()).toBe(true);
    await form().getByRole('combobox', { name: 'Template' }).fill('order_update');
    await form().getByText('chat costs no credits').waitFor();
    const components = form().getByRole('textbox', { name: 'Components, as JSON' });
    await components.fill('[{');
    expect(await send.isDisabled()).toBe(true);
    const filled = [{ type: 'body', parameters: [{ type: 'text', text: '1042' }] }];
    await components.fill(JSON.stringify(filled));
    await expectAccessible(page);
    await send.click();
    await said().getByRole('article').filter({ hasText: 'delivered' }).waitFor();
    const [sent] = await runSql(
      DATABASE_URL,
      `select cloud_template->'components' as components from messages where recipient = '${phone.slice(1)}'`,
    );
    expect(sent?.components).toEqual(filled);
  });

  test('older entries come as one scrolls up, and what is read stays where it is', async () => {
    const phone = newPhone();
    for (let turn = 0; turn < 6; turn++)
      await Promise.all(Array.from({ length: 10 }, (_, at) => write(phone, `${TEXT} ${turn * 10 + at}.`)));
    await page.goto(`inbox/${phone.slice(1)}`);
    const bubbles = said().getByRole('article');
    await expect.poll(() => bubbles.count()).toBe(50);
    await page.waitForURL(/\/inbox\/prs_/);
    // A page that draws anew in that moment may swallow a key.
    const goUp = async () => {
      const count = await bubbles.count();
      if (count < 60) await said().press('Home');
      return count;
    };
    await expect.poll(goUp, { interval: 1_000 }).toBe(60);
    expect(await said().evaluate(log => log.scrollTop)).toBeGreaterThan(0);
  });

  test('is read and answered by the keyboard alone, and on a phone the list and the conversation are two views', async () => {
    const phone = newPhone();
    await write(phone, TEXT);
    await page.goto('inbox');
    await row(shown(phone)).focus();
    await page.keyboard.press('Enter');
    await said().getByText(TEXT, { exact: true }).waitFor();
    await expectAccessible(page);
    await box().focus();
    await page.keyboard.type(`${TEXT} by keys`);
    const choice = (name: string) => page.getByRole('radio', { name, exact: true });
    await choice('Answer').press('ArrowRight');
    await page.getByRole('form', { name: 'Note about this person' }).waitFor();
    expect(await choice('Note').evaluate(radio => radio === document.activeElement)).toBe(true);
    await choice('Note').press('ArrowLeft');
    expect(await box().inputValue()).toBe(`${TEXT} by keys`);
    await box().focus();
    await page.keyboard.press('Control+Enter');
    await said().getByText(`${TEXT} by keys`, { exact: true }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectNoViolations(page);
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    expect([await people().isVisible(), await fits()]).toEqual([false, true]);
    await page.getByRole('link', { name: 'All people' }).click();
    await row(shown(phone)).waitFor();
    expect([await said().count(), await fits()]).toEqual([0, true]);
  });

  test('where nobody wrote it says with what command a phone does, as it stands', async () => {
    const { token: own } = await makeAccount(gateway);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${own}` });
    await page.goto('inbox');
    await page.getByRole('heading', { name: 'Nobody has written yet' }).waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).click();
    await expectAccessible(page);
    const command = await page.evaluate(() => navigator.clipboard.readText());
    const { status, stderr } = await runCommand(gateway.env, ...shellWords(command.replace(/^npx heliograph /, '')));
    expect({ status, stderr }).toMatchObject({ status: 0 });
    await row('Yes, please.').waitFor();
  });
});

/** The uuid in an id, as a literal of SQL. */
function uuidOf(id: string): string {
  return `'${id.slice(id.indexOf('_') + 1)}'::uuid`;
}
