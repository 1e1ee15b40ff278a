/** Tabs that tests use one after another: in a new one a page takes the processor twice as long. */
import type { BrowserContext, Page } from 'playwright-core';

/** The tabs that are taken again, with their size at first. */
const kept = new WeakMap<Page, ReturnType<Page['viewportSize']>>();
const idle = new WeakMap<BrowserContext, Page[]>();

/** A tab as if it were new, of a window that tests share. Give it back by `leaveTab`. */
export async function takeTab(window: BrowserContext): Promise<Page> {
  const tab = idle.get(window)?.pop() ?? (await window.newPage());
  if (!kept.has(tab)) kept.set(tab, tab.viewportSize());
  await tab.bringToFront();
  return tab;
}

/** Gives a tab back for the next test, and undoes what the test did to it. One that was not taken is closed. */
export async function leaveTab(tab: Page): Promise<void> {
  if (!kept.has(tab)) return await tab.close();
  const window = tab.context();
  await tab.unrouteAll({ behavior: 'ignoreErrors' });
  await window.setExtraHTTPHeaders({});
  if (tab.url().startsWith('http')) {
    // Of the same site, so that the process of the tab stays; and nothing of ours runs there, nor is drawn anew by what follows.
    await tab.goto(new URL('/healthz', tab.url()).href);
    await tab.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
  }
  await tab.emulateMedia({ colorScheme: null, reducedMotion: null });
  const size = kept.get(tab);
  if (size) await tab.setViewportSize(size);
  const others = idle.get(window) ?? [];
  idle.set(window, [...others, tab]);
}

/** Lets a page believe that its tab was left, or come back to. */
export async function turnTab(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(shown => {
    Object.defineProperty(document, 'visibilityState', { get: () => shown, configurable: true });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
  }, state);
}
