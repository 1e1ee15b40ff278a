import { readFile } from 'node:fs/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closeWindows, lacksBrowser, openBrowser } from '../../support/browser/chromium.ts';
import { signedIn } from '../../support/browser/signed-in.ts';
import { createDatabase, describePostgres, type TestDatabase } from '../../support/databases/database.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { type Demo, type Gateway, seedDemo, send, startGateway } from '../../support/processes/gateway.ts';
import { rounds } from '../../support/runner/rounds.ts';

/**
 * How many attempts the account has, in hundreds: a million with `npm run test:long`. Of a fifth of them, too, a page that fetched or drew them
 * all would take minutes, beside a short log.
 */
const HUNDREDS = Math.min(10_000, rounds({ usual: 2_000, long: 10_000 }));

const ATTEMPTS = HUNDREDS * 100;

/** How many of a hundred failed, all of which are exported. */
const FAILED_PER_CENT = Math.min(10, rounds({ usual: 2, long: 10 }));

/** How many failed, of those that `fill` adds: it numbers them from 1. */
const FAILED = HUNDREDS * FAILED_PER_CENT - 1;

const EXPORT_TIMEOUT_MS = 300_000;

/** How many the account has at first: enough to fill every row that the page shows at once. */
const FEW = 1_000;

/** So many times what a short log takes is no busy machine: the page pays for what it does not show. */
const BROKEN_FROM = 3;

/** How often a page is looked at: a busy machine delays one look, a slow page each. */
const LOOKS = 3;

const FILLING_TIMEOUT_MS = 300_000;

const VIEWS = ['messages', 'attempts'] as const;

/** The paint time and the longest task of the page, in milliseconds; of several looks the least. */
interface Look {
  paint: number;
  task: number;
}

/** The goals of the page on quiet cores. Figures are printed, and fail only at a multiple of these and of a short log's. */
const GOALS: Look = { paint: 1_500, task: 200 };

const isWithoutBrowser = lacksBrowser('logs-speed.test.ts');

if (!isWithoutBrowser)
  describePostgres('the page Logs with many attempts', () => {
    let database: TestDatabase & { kind: 'postgres' };
    let gateway: Gateway;
    let demo: Demo;
    let browser: Browser;
    let context: BrowserContext;

    let ofShortLog: Look[];

    beforeAll(async () => {
      const made = await createDatabase();
      if (made.kind !== 'postgres') throw new Error('this needs a server');
      database = made;
      gateway = await startGateway({ databaseUrl: database.url });
      demo = await seedDemo(gateway);
      await send(gateway, demo.tokens.unified);
      await fill(database.url, 1, FEW);
      browser = await openBrowser();
      context = await signedIn(browser, { url: gateway.url, demo }, () => undefined);
      ofShortLog = [];
      for (const view of VIEWS) ofShortLog.push(await lookOften(context, view));
      await fill(database.url, FEW, ATTEMPTS);
    }, FILLING_TIMEOUT_MS);
    afterAll(async () => {
      await closeWindows();
      gateway?.kill();
      await gateway?.exited;
      await database?.drop();
    });

    test.each(VIEWS)('shows %s as fast as those of a short log', async view => {
      const { paint, task } = await lookOften(context, view);
      const short = ofShortLog[VIEWS.indexOf(view)] ?? GOALS;
      process.stdout.write(
        `Logs with ${ATTEMPTS.toLocaleString('en')} attempts, ${view}: largest paint after ${paint} ms (goal ${GOALS.paint}, with ${FEW}: ${short.paint}), longest task ${task} ms (goal ${GOALS.task}, with ${FEW}: ${short.task})\n`,
      );
      expect(paint).toBeGreaterThan(0);
      expect(paint).toBeLessThan(BROKEN_FROM * Math.max(short.paint, GOALS.paint));
      expect(task).toBeLessThan(BROKEN_FROM * Math.max(short.task, GOALS.task));
    });

    test('exports every entry of a filter once', { timeout: EXPORT_TIMEOUT_MS }, async () => {
      const page = await context.newPage();
      await page.goto('logs?span=30d&errorCode=recipient_refused&view=attempts');
      await page.getByRole('button', { name: 'Export' }).click();
      const started = performance.now();
      const [download] = await Promise.all([
        page.waitForEvent('download', { timeout: EXPORT_TIMEOUT_MS }),
        page.getByRole('menuitem', { name: 'As CSV' }).click(),
      ]);
      const seconds = (performance.now() - started) / 1_000;
      const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
      process.stdout.write(
        `Export as CSV: ${lines.length - 1} rows in ${seconds.toFixed(1)} s, ${Math.round((lines.length - 1) / seconds)} rows a second\n`,
      );
      expect(lines).toHaveLength(FAILED + 1);
      expect(new Set(lines).size).toBe(FAILED + 1);
      await page.close();
    });
  });

/** The least that a view took in some looks. */
async function lookOften(context: BrowserContext, view: (typeof VIEWS)[number]): Promise<Look> {
  const looks: Look[] = [];
  for (let look = 0; look < LOOKS; look += 1) looks.push(await lookOnce(context, view));
  return {
    paint: Math.round(Math.min(...looks.map(({ paint }) => paint))),
    task: Math.round(Math.min(...looks.map(({ task }) => task))),
  };
}

/** Opens a view in a new tab, and scrolls down some pages of it. */
async function lookOnce(context: BrowserContext, view: string): Promise<Look> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    const seen = { paint: 0, task: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) seen.paint = entry.startTime;
    }).observe({ type: 'largest-contentful-paint', buffered: true });
    new PerformanceObserver(list => {
      for (const entry of list.getEntries()) seen.task = Math.max(seen.task, entry.duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(`logs?span=30d&view=${view}`);
  const rows = page.getByRole('list', { name: 'Log entries' }).getByRole('button');
  await rows.first().waitFor();
  for (let turn = 0; turn < 10; turn += 1) await page.mouse.wheel(0, 3_000);
  await page.waitForFunction(() => scrollY > 1_000);
  const seen = await page.evaluate(() => (globalThis as unknown as { seen: Look }).seen);
  await page.close();
  return seen;
}

/** Copies the first attempt as those from a number up to another one, spread over 29 days; of a hundred some failed. */
async function fill(url: string, from: number, to: number): Promise<void> {
  const columns = await runSql(
    url,
    "select column_name as name from information_schema.columns where table_schema = 'public' and table_name = 'attempts'",
  );
  const indexes = await runSql(
    url,
    "select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as make from pg_indexes where schemaname = 'public' and tablename = 'attempts' and indexname <> 'attempts_pkey'",
  );
  const id = `(lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n * 2500), 12, '0') || '70018' || lpad(to_hex(n), 15, '0'))::uuid`;
  const hasFailed = `n % 100 < ${FAILED_PER_CENT}`;
  const differs: Readonly<Record<string, string>> = {
    id,
    message_id: `overlay(${id}::text placing '7000' from 15)::uuid`,
    // Without digits: those of a million would all be compared with codes when the database goes.
    provider_message_id: `'copy-' || translate(n::text, '0123456789', 'abcdefghij')`,
    started_at: `a.started_at - n * interval '2500 ms'`,
    finished_at: `a.finished_at - n * interval '2500 ms'`,
    status: `case when ${hasFailed} then 'failed' else 'delivered' end`,
    error_code: `case when ${hasFailed} then 'recipient_refused' end`,
  };
  const names = columns.map(({ name }) => String(name));
  // An index is made several times faster of a million rows than row by row.
  for (const { name } of indexes) await runSql(url, `drop index "${name}"`);
  await runSql(
    url,
    `insert into attempts (${names.join(', ')})
     select ${names.map(name => differs[name] ?? `a.${name}`).join(', ')} from (select * from attempts order by id desc limit 1) a, generate_series(${from}, ${to - 1}::bigint) as n`,
  );
  for (const { make } of indexes) await runSql(url, `set maintenance_work_mem = '256MB'; ${make}`);
  await runSql(url, 'vacuum analyze attempts');
}
