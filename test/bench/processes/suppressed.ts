/** The memory of the suppressed people, which each process knows all of. */
import { join } from 'node:path';
import { entities } from '../../../mikro-orm.config.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { runChild } from '../kit/children.ts';
import { withDatabase } from '../kit/databases.ts';
import { table } from '../kit/figures.ts';
import { atMost } from '../kit/goals.ts';
import type { Part } from '../kit/part.ts';
import type { SuppressedHeap } from './suppressed-table.ts';

const NUMBERS = 1_000_000;

const BYTES_OF_MB = 1e6;

/** Measures a process that reads the lists of so many accounts, which share the numbers. */
async function measure(clusterUrl: string, accounts: number, numbers: number): Promise<SuppressedHeap> {
  return withDatabase(clusterUrl, async url => {
    const database = await openDatabase({ url, poolSize: 2 }, entities);
    await migrate(database);
    await database.close();
    await runSql(
      url,
      `with made as (
         insert into accounts (id, name, created_at) select gen_random_uuid(), 'bench ' || n, now() from generate_series(1, ${accounts}) n returning id
       ), numbered as (select id, row_number() over () - 1 as place from made)
       insert into suppressions (id, account_id, person, origin, created_at)
       select gen_random_uuid(), a.id, (12020000000 + n)::text, 'recipient', now()
       from generate_series(1, ${numbers}) n join numbered a on a.place = n % ${accounts}`,
    );
    const program = join(import.meta.dirname, 'suppressed-table.ts');
    return JSON.parse(await runChild(process.execPath, ['--expose-gc', program, url]));
  });
}

/** The heap of a million suppressed numbers, of one account and of a thousand. */
export const suppressedPart: Part = {
  flag: '--suppressed',
  about: 'the heap of a process that knows 1,000,000 suppressed numbers, of one account and of a thousand',
  async run({ clusterUrl, isQuick, say }) {
    const numbers = isQuick ? NUMBERS / 10 : NUMBERS;
    const one = await measure(clusterUrl, 1, numbers);
    const many = await measure(clusterUrl, 1_000, numbers);
    const row = (title: string, { bytes, seconds }: SuppressedHeap): string[] => [
      title,
      (bytes / BYTES_OF_MB).toFixed(1),
      seconds.toFixed(2),
    ];
    say(
      table([
        [`${numbers.toLocaleString('en')} suppressed numbers`, 'MB of heap', 'seconds to read'],
        row('of one account', one),
        row('of a thousand accounts', many),
      ]),
    );
    const largest = (Math.max(one.bytes, many.bytes) / BYTES_OF_MB) * (NUMBERS / numbers);
    return [atMost('heap of 1,000,000 suppressed numbers', largest, 100, 'MB')];
  },
};
