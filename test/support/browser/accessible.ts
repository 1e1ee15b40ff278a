/** What axe finds on a page. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The schemes that a page must be readable in. */
export const SCHEMES = ['light', 'dark'] as const;

/** Expects that a page breaks no rule of WCAG 2.2 AA, in light and in dark, nor of axe's best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectNoViolations(page);
  }
}

/** The same of a page as it shows, for those that take the scheme when they load. */
export async function expectNoViolations(page: Page): Promise<void> {
  // A colour on its way to another is none that stays; a scheme that was changed is told of with the next frame.
  // They are looked at frame by frame: Chromium leaves the promise of one whose element went away pending now and then.
  const isThere = await page.evaluate(async () => {
    const nextFrame = () => new Promise(resolve => requestAnimationFrame(resolve));
    const isMoving = () =>
      document
        .getAnimations()
        .some(({ effect, playState }) => playState === 'running' && effect?.getComputedTiming().endTime !== Infinity);
    await nextFrame();
    do await nextFrame();
    while (isMoving());
    return 'axe' in window;
  });
  // Half a megabyte, once for each load. Nothing here stands in a frame, so the page alone needs it.
  if (!isThere) await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: inPage } = window as unknown as { axe: typeof axe };
    // All rules are looked at; what is right is not described, which takes as long as to look.
    const { violations } = await inPage.run(document, { resultTypes: ['violations'] });
    return violations.map(({ id, help, nodes }) => ({ id, help, at: nodes.map(({ html }) => html.slice(0, 200)) }));
  });
  expect(found, page.url()).toEqual([]);
}
