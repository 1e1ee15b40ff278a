/**
 * `write-process.ts <url of a database>`: takes messages of people in a process of its own. Prints `ready`, reads them from stdin as JSON, and prints those
 * that failed.
 */
import { text } from 'node:stream/consumers';
import type { Inbound } from '../../../src/channels/contract.ts';
import { loadAccount } from '../../../src/modules/accounts/load-account.ts';
import type { Bringer } from '../../../src/modules/inbound/inbound-row.ts';
import { receiveInbound } from '../../../src/modules/inbound/receive-inbound.ts';
import { suppress } from '../../../src/modules/suppressions/manage-suppressions.ts';
import { createTestServices, OPERATOR } from '../services.ts';

/** The input of the process. */
export interface Written {
  readonly bringer: Bringer;
  /** Messages of people, and numbers that the account suppresses, in turn. */
  readonly steps: readonly (Inbound | { readonly suppress: string })[];
}

/** How many messages come at once. */
const GROUP = 20;

const [url = ''] = process.argv.slice(2);
const t = await createTestServices({ testDatabase: { kind: 'postgres', url, drop: async () => undefined } });
process.stdout.write('ready\n');
const { bringer, steps } = JSON.parse(await text(process.stdin)) as Written;
const account = await loadAccount(t.database, bringer.accountId ?? '');
const take = (step: Written['steps'][number]): Promise<unknown> =>
  'suppress' in step
    ? suppress(t.ctxFor({ kind: 'operator', account }), { to: step.suppress })
    : receiveInbound(t.ctxFor(OPERATOR), bringer, [step]);
const failed: string[] = [];
// Groups as they come: one of all would be a single transaction, which meets nobody.
for (let start = 0; start < steps.length; start += GROUP) {
  const results = await Promise.allSettled(steps.slice(start, start + GROUP).map(take));
  failed.push(...results.flatMap(result => (result.status === 'rejected' ? [String(result.reason)] : [])));
}
await t.close();
process.stdout.write(JSON.stringify(failed));
