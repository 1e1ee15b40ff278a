import { describe, expect, test } from 'vitest';
import { documentIdOf } from '../../../../src/dashboard/app/api/ask.ts';
import { SendPageDocument } from '../../../../src/dashboard/app/api/operations.generated.ts';
import { lacksBrowser } from '../../../support/browser/chromium.ts';
import { setUpPages } from '../../../support/browser/set-up-pages.ts';

describe.skipIf(lacksBrowser('midnight.test.ts'))('a day of the log', () => {
  const { context, page, turnTo } = setUpPages({ window: { timezoneId: 'UTC' } });

  test.each([
    ['today', '2026-03-04T00:00:00.000Z', '2026-03-05T00:00:00.000Z'],
    ['yesterday', '2026-03-03T00:00:00.000Z', '2026-03-04T00:00:00.000Z'],
  ])('%s moves at midnight', async (span, before, after) => {
    await turnTo(await context.newPage());
    const asked: string[] = [];
    page.on('request', request => {
      const question = request.method() === 'POST' ? request.postDataJSON() : null;
      if (question?.documentId === documentIdOf(SendPageDocument)) asked.push(question.variables.filter.from);
    });
    await page.clock.install({ time: new Date('2026-03-04T23:50:00Z') });
    await page.goto(`logs?span=${span}`);
    await page.getByText('Nothing in this period').waitFor();
    await page.clock.fastForward(300_000);
    await page.clock.fastForward(600_000);
    await expect.poll(() => asked).toContain(after);
    expect([...new Set(asked)]).toEqual([before, after]);
  });
});
