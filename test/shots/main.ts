/**
 * `npm run shots`: every page, wide and narrow, light and dark, into `shots/`, which git ignores. Look at each.
 * Names behind `--` leave out all other pictures; `--readme` takes those of the README instead, into `docs/images`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { browserPath, launchBrowser } from '../support/browser/chromium.ts';
import { REPOSITORY } from '../support/repository.ts';
import { openWindows } from './people.ts';
import { type Picture, picturesOf } from './pictures.ts';
import { prepareDemo } from './prepare-demo.ts';
import { takeReadmePictures } from './readme-pictures.ts';
import type { RunningDemo } from './start-demo.ts';

/** Until what takes longer than the first answer has shown, like editors; a page with a feed never falls silent. */
const SETTLED_MS = 1_000;

const WIDTHS = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } } as const;

const SCHEMES = ['light', 'dark'] as const;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { readme: { type: 'boolean' } } });

async function take(context: BrowserContext, { path, act, who }: Picture, file: string, accountId: string) {
  const page = await context.newPage();
  try {
    page.setDefaultTimeout(10_000);
    if (who === 'operator' && path !== '/dashboard')
      await page.addInitScript(id => sessionStorage.setItem('heliograph:account', id), accountId);
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await act?.(page);
    await page.waitForFunction(() => !document.querySelector('[role="status"][aria-label="Loading"]'));
    await page.waitForTimeout(SETTLED_MS);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > (page.viewportSize()?.width ?? 0)) throw new Error(`is ${width} px wide`);
  } catch (error) {
    // The picture shows what is wrong.
    process.stderr.write(`${file}: ${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
  await page.screenshot({ path: file });
  await page.close();
}

async function takeAll(demo: RunningDemo, browser: Browser, pictures: Readonly<Record<string, Picture>>) {
  const folder = join(REPOSITORY, 'shots');
  if (positionals.length === 0) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const wanted = Object.entries(pictures).filter(([name]) => positionals.length === 0 || positionals.includes(name));
  for (const colorScheme of SCHEMES)
    await Promise.all(
      Object.entries(WIDTHS).map(async ([size, viewport]) => {
        const windows = await openWindows(browser, demo, { viewport, colorScheme });
        for (const [name, picture] of wanted) {
          const file = join(folder, `${name}-${size}-${colorScheme}.png`);
          await take(windows[picture.who ?? 'owner'], picture, file, demo.accountId);
        }
        for (const context of Object.values(windows)) await context.close();
      }),
    );
}

if (browserPath === undefined) throw new Error('There is no Chromium in /usr/bin: apt-get install chromium');
const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-shots-'));
const { demo, things, close } = await prepareDemo(dataDir);
const browser = await launchBrowser();
try {
  if (values.readme) await takeReadmePictures(browser, demo);
  else await takeAll(demo, browser, picturesOf(things));
} finally {
  await browser.close();
  await close();
  await rm(dataDir, { recursive: true, force: true });
}
