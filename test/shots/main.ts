/** `npm run shots`: every page, wide and narrow, light and dark, into `shots/`, which git ignores. Look at each. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { browserPath, launchBrowser } from '../support/browser/chromium.ts';
import { REPOSITORY } from '../support/repository.ts';
import { fillDemo } from './fill-demo.ts';
import { startDemo } from './start-demo.ts';

/** The pages by the names of their pictures. */
const PAGES: Readonly<Record<string, string>> = {
  'sign-in': '/dashboard/sign-in',
  overview: '/dashboard',
  logs: '/dashboard/logs',
  'logs-failed': '/dashboard/logs?status=FAILED',
  send: '/dashboard/send',
  inbox: '/dashboard/inbox/12025550100',
  webhooks: '/dashboard/webhooks',
  connections: '/dashboard/connections',
  senders: '/dashboard/senders',
  credits: '/dashboard/credits',
  tokens: '/dashboard/tokens',
  limits: '/dashboard/limits',
  audit: '/dashboard/audit',
  account: '/dashboard/account',
  errors: '/dashboard/errors',
  playground: '/graphql',
  docs: '/docs',
};

/** Until what takes longer than the first answer has shown, like editors; a page with a feed never falls silent. */
const SETTLED_MS = 1_500;

const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

const SCHEMES = ['light', 'dark'] as const;

if (browserPath === undefined) throw new Error('There is no Chromium in /usr/bin: apt-get install chromium');
const folder = join(REPOSITORY, 'shots');
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-shots-'));
const demo = await startDemo(dataDir);
const browser = await launchBrowser();
try {
  await fillDemo(demo);
  for (const colorScheme of SCHEMES)
    for (const [size, viewport] of Object.entries(WIDTHS)) {
      const context = await browser.newContext({ baseURL: demo.url, viewport, colorScheme, reducedMotion: 'reduce' });
      await demo.signIn(context);
      for (const [name, path] of Object.entries(PAGES)) {
        const page = await context.newPage();
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForTimeout(SETTLED_MS);
        await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
        await page.close();
      }
      await context.close();
    }
} finally {
  await browser.close();
  await demo.stop();
  await rm(dataDir, { recursive: true, force: true });
}
