/** The browser of the tests: Debian's Chromium, with a fresh profile at each launch. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/**
 * The path of Chromium; undefined: none is installed. The build without windows is the same engine, and takes a sixth less of the processor.
 */
export const browserPath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map(name => `/usr/bin/${name}`)
  .find(existsSync);

/** Whether there is none; says once, by the name of a file, that its tests are left out. */
export function lacksBrowser(file: string): boolean {
  if (browserPath !== undefined) return false;
  process.stderr.write(`${file}: the tests in a browser are skipped, for no Chromium is installed in /usr/bin\n`);
  return true;
}

/** Starts Chromium. The flags keep the browser from calling anybody by itself. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: browserPath ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

let shared: Promise<Browser> | undefined;

/** The browser of this worker, which its files use one after another. Each ends with `closeWindows`. */
export async function openBrowser(): Promise<Browser> {
  shared ??= launchBrowser().catch(error => {
    // The next file tries again.
    shared = undefined;
    throw error;
  });
  return await shared;
}

/** Closes the windows of a file. */
export async function closeWindows(): Promise<void> {
  const windows = (await shared)?.contexts() ?? [];
  await Promise.all(windows.map(window => window.close()));
}
