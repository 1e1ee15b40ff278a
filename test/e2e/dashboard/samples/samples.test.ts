import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../src/kernel/ids.ts';
import {
  createWebhookSigner,
  newWebhookSecret,
} from '../../../../src/modules/webhooks/signatures/webhook-signature.ts';
import { openApiDocument } from '../../../../src/rest/openapi/document.ts';
import { routes } from '../../../../src/rest/routes.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { newPhone } from '../../../support/otp/pins.ts';
import { makeAccount } from '../../../support/processes/accounts.ts';
import { runCommand } from '../../../support/processes/cli.ts';
import { ask, send } from '../../../support/processes/gateway.ts';
import { runSample } from '../../../support/processes/run-sample.ts';
import { REPOSITORY } from '../../../support/repository.ts';
import { shellWords } from '../../../support/rules/shell-words.ts';

const LANGUAGES = ['curl', 'TypeScript', 'Python', 'GraphQL'] as const;

/** The operations that `/docs` shows, by their ids. */
const OPERATIONS = Object.values(openApiDocument(routes, '0.0.0').paths ?? {}).flatMap(methods =>
  Object.values(Object(methods)).map(one => String(Object(one).operationId)),
);

/** Fair refusals of the samples as they stand. The phone of one refuses, nobody has its pin, or the sample before it has taken its id. */
const FAIR: Readonly<Record<string, RegExp>> = {
  sendMessage: /all_channels_failed|No channel accepted/,
  sendSms: /all_channels_failed|No channel accepted/,
  sendOtp: /all_channels_failed|No channel accepted/,
  sendSmsOtp: /all_channels_failed|No channel accepted/,
  verifyOtp: /otp_not_found|OTP_NOT_FOUND|There is no such/,
  verifySmsOtp: /otp_not_found|OTP_NOT_FOUND|There is no such/,
  createPlant: /taken/,
};

/** Values for the placeholders of commands. */
const GIVEN: Readonly<Record<string, string>> = { area: 'sms', 'time|never': 'never', name: 'Harbour' };

describe.skipIf(lacksBrowser('samples.test.ts'))('what pages show to be copied', () => {
  const { gateway, context, page } = setUpPages();

  const clipboard = (on = page) => on.evaluate(() => navigator.clipboard.readText());

  describe('in /docs', () => {
    // One page shows all operations, so that a load of it takes long.
    let docs: Page;
    beforeAll(async () => {
      docs = await context.newPage();
      await docs.goto(`${gateway.url}/docs`);
    });
    afterAll(() => docs?.close());
    // Only the tab in front may read the clipboard.
    beforeEach(() => docs.bringToFront());

    test.each(OPERATIONS)('%s runs in every language, with every example', async operation => {
      const part = docs.locator(`#${operation}`);
      await part.getByRole('tablist').waitFor();
      const choice = part.getByRole('combobox');
      const examples = (await choice.count()) > 0 ? await choice.locator('option').allInnerTexts() : [null];
      const area = (await part.locator('.token-line code').allInnerTexts())[0] ?? 'unified';
      for (const example of examples) {
        if (example !== null) await choice.selectOption(example);
        for (const language of LANGUAGES) {
          await part.getByRole('tab', { name: language }).click();
          await part.getByRole('button', { name: `Copy ${language} for ${operation}` }).click();
          const sample = await clipboard(docs);
          if (language !== 'GraphQL') expect(sample).toContain(`${gateway.url}/`);
          const ran = await runSample(gateway, language, sample, area);
          expect([language, example, ran]).toEqual([
            language,
            example,
            FAIR[operation]?.test(ran.output) ? ran : works(language),
          ]);
        }
      }
    });
  });

  test('the check of a delivery in /docs takes one that is signed, and refuses one that was changed', async () => {
    await page.goto(`${gateway.url}/docs`);
    await page.getByRole('button', { name: 'Copy the check of a delivery' }).click();
    const check = await clipboard();
    const [secret, id] = [newWebhookSecret(), newId('evt')];
    const told = { id, event: 'message.sent', createdAt: new Date().toISOString(), accountId: newId('acc'), data: {} };
    const body = JSON.stringify(told);
    const signing = {
      event: 'message.sent',
      deliveryId: newId('dlv'),
      timestamp: Math.floor(Date.now() / 1_000),
      body,
    };
    const request = { headers: createWebhookSigner({ current: secret, previous: null })(signing) };
    const run = (rawBody: string) => {
      const given = `const request = ${JSON.stringify(request)}, rawBody = ${JSON.stringify(rawBody)};`;
      const program = `${given}\nprocess.env.SIGNING_SECRET = ${JSON.stringify(secret)};\n${check}`;
      return runSample(gateway, 'TypeScript', program, 'unified');
    };
    expect(await run(body)).toEqual({ status: 0, output: expect.stringContaining('message.sent') });
    expect(await run(body.replace('sent', 'lost'))).toMatchObject({ status: 1 });
  });

  function works(language: string) {
    const output = language === 'curl' ? /"success":true|"name":/ : /./;
    return { status: 0, output: expect.stringMatching(output) };
  }

  describe('by "Copy as"', () => {
    async function expectAllRun(part: Page | Locator = page): Promise<void> {
      for (const language of LANGUAGES) {
        await part.getByRole('button', { name: /^(Copy as|Copied)$/ }).click();
        await page.getByRole('menuitem', { name: language, exact: true }).click();
        const sample = await clipboard();
        if (language !== 'GraphQL') expect(sample).toContain(`${gateway.url}/graphql`);
        const ran = await runSample(gateway, language, sample, 'unified');
        expect([language, ran]).toEqual([
          language,
          { status: 0, output: expect.not.stringMatching(/["']errors["']|extensions/) },
        ]);
      }
    }

    test('the log runs in every language', async () => {
      await page.goto('logs?status=FAILED&channel=SMS');
      await expectAllRun();
    });

    test('the story of a message runs in every language', async () => {
      const { body } = await send(gateway, gateway.demo.tokens.unified, { to: newPhone() });
      await page.goto(`logs?open=${body.data?.messageId}`);
      await page.getByRole('dialog').waitFor();
      await expectAllRun(page.getByRole('dialog'));
    });

    test('the story of a passcode runs in every language', async () => {
      const sent = 'mutation ($to: String!) { sendOtp(input: { to: $to }) { pinId } }';
      const { sendOtp } = await ask<{ sendOtp: { pinId: string } }>(gateway, gateway.demo.tokens.unified, sent, {
        to: newPhone(),
      });
      await page.goto(`logs?open=${sendOtp.pinId}`);
      await page.getByRole('dialog').waitFor();
      await expectAllRun(page.getByRole('dialog'));
    });

    test.each(['message', 'otp'])('a draft of the page Send runs in every language: %s', async kind => {
      await page.goto(`send?${new URLSearchParams({ kind, channels: 'sms' })}`);
      await expectAllRun();
    });
  });

  test('the command of phones without texts runs in the folder of the gateway', async () => {
    const { token } = await makeAccount(gateway);
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
    await page.goto('phones');
    await page.getByRole('button', { name: 'Copy the command' }).click();
    const command = (await clipboard()).replace('.data/', `${gateway.dataDir}/`);
    const ran = await runSample(gateway, 'curl', command, 'unified');
    expect([command, ran]).toEqual([expect.stringContaining(gateway.url), works('curl')]);
  });

  test('the samples of the page of errors are at the address that it was opened by', async () => {
    await page.goto('errors');
    await page.getByText(`curl -s ${gateway.url}/api/omni/send`).waitFor();
    expect(await page.getByRole('main').innerText()).not.toContain('http://127.0.0.1:4000');
  });

  // `webhooks listen` runs until it is ended: the test of docs/webhooks.md runs it.
  test.each(commandsOfPages())('the command "%s" of a page or of /errors is one that runs', async command => {
    const { accountId } = gateway.demo;
    const known: Readonly<Record<string, string>> = { ...GIVEN, accountId };
    const whole = command.replaceAll(/<([^>]+)>/g, (placeholder, name: string) => known[name] ?? placeholder);
    // One that is only named has nothing to run with.
    const words = shellWords(whole === command ? `${command} --help` : whole);
    const { status, stderr } = await runCommand({ DATA_DIR: gateway.dataDir }, ...words);
    expect({ status, stderr }).toMatchObject({ status: 0 });
  });
});

/** The commands behind `npx heliograph` in the sources of the pages and in docs/errors.md, shown by `/errors`. */
function commandsOfPages(): string[] {
  const files = ['docs/errors.md', ...globSync('src/dashboard/**/*.{ts,tsx}', { cwd: REPOSITORY })];
  const found = files.flatMap(file => {
    const text = readFileSync(join(REPOSITORY, file), 'utf8').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
    return [...text.matchAll(/npx heliograph ([a-z][^`\n]*?)(?:`|<\/code>)/g)].map(([, command = '']) =>
      command.trim(),
    );
  });
  return [...new Set(found)].filter(command => !command.startsWith('webhooks listen'));
}
