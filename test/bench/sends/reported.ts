/** When sends are over: what the sandbox reports of them comes a second later, and is a part of what they cost. */
import { setTimeout as wait } from 'node:timers/promises';
import { runSql } from '../../support/databases/postgres.ts';

const WAIT_MAX_MS = 120_000;

/** Often enough; each question costs the server a little of what is measured. */
const ASK_EVERY_MS = 500;

/** Waits until every message is reported as delivered. @throws Error after `WAIT_MAX_MS` */
export async function untilReported(databaseUrl: string): Promise<void> {
  const endsAtMs = performance.now() + WAIT_MAX_MS;
  for (;;) {
    const [row] = await runSql(databaseUrl, "select exists(select from messages where status <> 'delivered') as waits");
    if (row?.waits === false) return;
    if (performance.now() > endsAtMs) throw new Error('waited in vain for the reports of sends');
    await wait(ASK_EVERY_MS);
  }
}
