/** The pictures of the README, as WebP, which are a third of what PNG makes of them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { REPOSITORY } from '../support/repository.ts';
import type { RunningDemo } from './start-demo.ts';

const SIZE = { width: 1100, height: 680 };

const QUALITY = 0.6;

/** More makes a repository slow to clone. */
const BYTES_MAX = 60_000;

const SETTLED_MS = 1_500;

const PICTURES: Readonly<Record<string, readonly [path: string, act?: (page: Page) => Promise<void>]>> = {
  overview: [
    '/dashboard?range=7d',
    async page => {
      await page.getByRole('button', { name: 'Hide the first steps' }).click();
    },
  ],
  logs: [
    '/dashboard/logs?status=FAILED',
    async page => {
      await page.getByRole('list', { name: 'Log entries' }).getByRole('button').first().click();
      await page.getByRole('dialog').getByRole('list', { name: 'Timeline' }).waitFor();
    },
  ],
  phones: ['/dashboard/phones/12025552009'],
};

/** Takes them into `docs/images`. @throws Error if one is too large */
export async function takeReadmePictures(browser: Browser, demo: RunningDemo): Promise<void> {
  const folder = join(REPOSITORY, 'docs/images');
  await mkdir(folder, { recursive: true });
  const context = await browser.newContext({ baseURL: demo.url, viewport: SIZE, reducedMotion: 'reduce' });
  await demo.signIn(context);
  for (const [name, [path, act]] of Object.entries(PICTURES)) {
    const page = await context.newPage();
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await act?.(page);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(SETTLED_MS);
    const webp = await toWebp(await context.newPage(), await page.screenshot());
    if (webp.byteLength > BYTES_MAX)
      throw new Error(`${name}.webp has ${webp.byteLength} bytes of at most ${BYTES_MAX}`);
    await writeFile(join(folder, `${name}.webp`), webp);
    await page.close();
  }
  await context.close();
}

/** The browser writes WebP, but takes no screenshot in it. */
async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(
    async ([source, quality]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext('2d')?.drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', quality);
    },
    [`data:image/png;base64,${png.toString('base64')}`, QUALITY] as const,
  );
  await page.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
