import { describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../../src/dashboard/app/api/ask.ts';
import { SendPageDocument } from '../../../../src/dashboard/app/api/operations.generated.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';
import { send } from '../../../support/processes/gateway.ts';

describe.skipIf(lacksBrowser('slow-list.test.ts'))('a change beside a list that is slow', () => {
  const { gateway, page } = setUpPages();

  test('shows what was made of it, and closes its question', async () => {
    const { body } = await send(gateway, gateway.demo.tokens.unified);
    const messageId = body.data?.messageId ?? '';
    await page.goto(`logs?open=${messageId}&again=1`);
    const question = page.getByRole('dialog', { name: 'Send again' });
    await question.getByText('The same text goes to').waitFor();
    await page.getByText('Nothing older in the chosen time.').waitFor();
    const answers = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route, request) => {
      if (request.postDataJSON()?.documentId === documentIdOf(SendPageDocument)) await answers.promise;
      await route.fallback();
    });
    await question.getByRole('button', { name: 'Send again' }).click();
    await question.waitFor({ state: 'detached' });
    const shown = new URL(page.url()).searchParams.get('open');
    expect(shown).toMatch(/^msg_/);
    expect(shown).not.toBe(messageId);
    answers.resolve();
    await page.unrouteAll({ behavior: 'wait' });
  });
});
