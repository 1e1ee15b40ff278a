/** Checks of pages with axe. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The packed build, which a page reads in half the time. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of axe that look at colours. The scheme of a page is colours alone, so the other one can break no other rule. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** All of a page. */
const WHOLE = 'html';

/**
 * Expects that a page breaks no rule of WCAG 2.2 AA, in light and in dark, nor of axe's best practices.
 * @param part the only part to look at, such as a dialog before a long page that was looked at without it
 */
export async function expectAccessible(page: Page, part = WHOLE): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectNoViolations(page, undefined, part);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expectNoViolations(page, COLOUR_RULES, part);
}

/** The same of a page as it shows, for those that take the scheme when they load; of all rules but where some are named. */
export async function expectNoViolations(page: Page, rules?: string[], part = WHOLE): Promise<void> {
  // A page is drawn after its code has come: until then it has neither a heading nor anything to look at.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // A colour on its way to another is none that stays; a scheme that was changed is told of with the next frame.
  // They are looked at frame by frame: Chromium leaves the promise of one whose element went away pending now and then.
  const isThere = await page.evaluate(async () => {
    const nextFrame = () => new Promise(resolve => requestAnimationFrame(resolve));
    const isMoving = () =>
      document
        .getAnimations()
        .some(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    // Some begin to move a frame or two after what moved them was drawn.
    for (let still = 0; still < 4; still = isMoving() ? 0 : still + 1) await nextFrame();
    return 'axe' in window;
  });
  // Half a megabyte, once for each load. Nothing here stands in a frame, so the page alone needs it.
  if (!isThere) await page.evaluate(SOURCE);
  const found = await page.evaluate(
    async ([only, within]) => {
      const { axe: inPage } = window as unknown as { axe: typeof axe };
      // All rules are looked at; what is right is not described, which takes as long as to look.
      const { violations } = await inPage.run(within, { resultTypes: ['violations'], ...(only && { runOnly: only }) });
      return violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html.slice(0, 200)) }));
    },
    [rules, part] as const,
  );
  expect(found, page.url()).toEqual([]);
}
