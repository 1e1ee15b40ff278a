/** Ways through the dashboard without a load: it takes the processor longer than what most tests do on a page. */
import type { Page } from 'playwright-core';

/** Shows another page of the dashboard that a tab shows, as a link there does. The page before it may still be there. */
export async function walk(tab: Page, path: string): Promise<void> {
  await tab.evaluate(url => {
    history.pushState(null, '', url);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/dashboard/${path}`);
}
