/** The pages of a gateway of its own, in a window in which the user of the demo account is signed in. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { holdLatest } from '../fixtures.ts';
import { type DemoGateway, startDemoGateway } from '../processes/gateway.ts';
import { closeWindows, openBrowser } from './chromium.ts';
import { signedIn } from './signed-in.ts';
import { leaveTab, takeTab } from './tabs.ts';

/** How pages are set up. */
export interface PagesSetUp {
  /** Settings of the gateway. */
  readonly env?: Readonly<Record<string, string>>;
  readonly window?: BrowserContextOptions;
  /** Whether nothing fails to load. A refusal is an answer with a status of its own, which Chromium tells of. */
  readonly loadsAll?: boolean;
}

/** The gateway and the browser of tests of pages. */
export interface Pages {
  readonly gateway: DemoGateway;
  readonly browser: Browser;
  readonly context: BrowserContext;
  /** The tab of the test. */
  readonly page: Page;
  /** Takes a complaint of another window. */
  complain(complaint: string): void;
  /** Forgets the complaints so far. Of those that say `words`, later ones of the test too: answers come late. */
  forgive(words?: string): void;
  /** Goes on with another tab. */
  turnTo(tab: Page): Promise<void>;
}

/** Sets them up for the `describe` that calls this. A test fails where a page complains. */
export function setUpPages({ env = {}, window = {}, loadsAll = false }: PagesSetUp = {}): Pages {
  const gateway = holdLatest<DemoGateway>();
  const browser = holdLatest<Browser>();
  const context = holdLatest<BrowserContext>();
  const page = holdLatest<Page>();
  let complaints: string[] = [];
  let forgiven: string[] = [];
  const complain = (text: string): void => {
    if (forgiven.some(words => text.includes(words))) return;
    if (loadsAll || !text.startsWith('Failed to load resource')) complaints.push(text);
  };
  beforeAll(async () => {
    const [started, opened] = await Promise.all([startDemoGateway({ env }), openBrowser()]);
    gateway.set(started);
    browser.set(opened);
    context.set(await signedIn(opened, started, complain, window));
  });
  afterAll(closeWindows);
  beforeEach(async () => {
    [complaints, forgiven] = [[], []];
    page.set(await takeTab(context.get()));
  });
  afterEach(async () => {
    await leaveTab(page.get());
    expect(complaints).toEqual([]);
  });
  return {
    gateway: gateway.it,
    browser: browser.it,
    context: context.it,
    page: page.it,
    complain,
    forgive(words) {
      if (words) forgiven.push(words);
      complaints = words ? complaints.filter(complaint => !complaint.includes(words)) : [];
    },
    async turnTo(tab) {
      await leaveTab(page.get());
      page.set(tab);
    },
  };
}
