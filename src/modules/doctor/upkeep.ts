/** Checks how a PostgreSQL server is kept: dead rows, indexes, partitions, old transactions, slots and transaction numbers. */
import type { Sql } from '../../db/statements/sql.ts';
import { gatewayTime } from '../../kernel/process/gateway-time.ts';
import { type Finding, graded, ok, warning } from './finding.ts';
import {
  FIND_BLOAT,
  FIND_INVALID,
  FIND_OLDEST,
  FIND_PREPARED,
  FIND_READ_WHOLE,
  FIND_SLOTS,
  FIND_UNPARTITIONED,
  FIND_UNUSED,
  READ_XID_AGE,
} from './upkeep.sql.ts';

const MIB = 1024 * 1024;

/** Thresholds of the checks: small tables and short times cause no finding. */
const LIMITS = {
  deadRows: 100_000,
  unusedBytes: 64 * MIB,
  unusedDays: 7,
  readWholeRows: 100_000,
  readWholeScans: 1_000,
  /** Longer than any statement of a request or a job, and than most backups of a table. */
  transactionSeconds: 15 * 60,
  slotBytes: 1_024 * MIB,
  /** Autovacuum begins at 200; the server refuses writes near 2,100. */
  xidMillions: { warnAbove: 500, faultAbove: 1_500 },
};

/** The thresholds of the checks; tests lower them. */
export type UpkeepLimits = typeof LIMITS;

/** Checks the upkeep. @returns a finding for each thing that is odd, or a single `ok` @throws errors of the database */
export async function lookAtUpkeep(sql: Sql, limits: UpkeepLimits = LIMITS): Promise<Finding[]> {
  const odd = [
    ...(await lookAtTables(sql, limits)),
    ...(await lookAtIndexes(sql, limits)),
    ...(await lookAtPartitions(sql)),
    ...(await lookAtTransactions(sql, limits)),
    ...(await lookAtSlots(sql, limits)),
    ...(await lookAtXids(sql, limits)),
  ];
  if (odd.length > 0) return odd;
  return [ok('database.upkeep', 'Tables, indexes, partitions, transactions and slots are as they should be.')];
}

async function lookAtTables(sql: Sql, { deadRows, readWholeRows, readWholeScans }: UpkeepLimits): Promise<Finding[]> {
  const bloated = await FIND_BLOAT.run(sql, { rows: deadRows });
  const whole = await FIND_READ_WHOLE.run(sql, { rows: readWholeRows, scans: readWholeScans });
  return [
    ...bloated.map(({ name, dead, percent, vacuumed }) =>
      warning(
        'database.bloat',
        `The table ${name} has ${dead} dead rows, ${percent} % of the living; last vacuumed: ${vacuumed?.toISOString() ?? 'never'}.`,
        `See what holds autovacuum up (an old transaction, a slot, a replica), or run: vacuum (analyze) ${name}`,
      ),
    ),
    ...whole.map(({ name, scans }) =>
      warning(
        'database.missing_index',
        `The large table ${name} was read whole ${scans} times.`,
        'See in pg_stat_statements which statement does so. The gateway reads by indexes: a report of your own may need one.',
      ),
    ),
  ];
}

async function lookAtIndexes(sql: Sql, { unusedBytes, unusedDays }: UpkeepLimits): Promise<Finding[]> {
  const invalid = await FIND_INVALID.run(sql);
  const unused = await FIND_UNUSED.run(sql, { bytes: unusedBytes, days: unusedDays });
  return [
    ...invalid.map(({ name }) =>
      warning(
        'database.invalid_index',
        `The index ${name} is invalid: it costs each write, and no read uses it.`,
        `Make it again: reindex index concurrently ${name}. One whose name ends with _ccnew is left over: drop it.`,
      ),
    ),
    ...unused.map(({ name, mib }) =>
      warning(
        'database.unused_index',
        `Nothing has read the index ${name} of ${mib} MiB since the statistics began.`,
        'Drop it if you made it, unless a replica reads it. One of the gateway stays: what uses it may begin tomorrow.',
      ),
    ),
  ];
}

async function lookAtPartitions(sql: Sql): Promise<Finding[]> {
  const now = gatewayTime();
  const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
  const suffix = `_p${next.toISOString().slice(0, 7).replace('-', '')}`;
  const missing = await FIND_UNPARTITIONED.run(sql, { suffix });
  if (missing.length === 0) return [];
  return [
    warning(
      'database.partitions',
      `No partition for the next month: ${missing.map(({ name }) => name).join(', ')}. From then on nothing can be stored there.`,
      'See that a worker runs (ROLE all or worker); or make them now: npx heliograph migrate',
    ),
  ];
}

async function lookAtTransactions(sql: Sql, { transactionSeconds: seconds }: UpkeepLimits): Promise<Finding[]> {
  const oldest = await FIND_OLDEST.run(sql, { seconds });
  const prepared = await FIND_PREPARED.run(sql, { seconds });
  return [
    ...oldest.map(({ pid, application, state, seconds: age }) =>
      warning(
        'database.transaction',
        `A transaction is ${Math.floor(age / 60)} min old (process ${pid}, "${application}", ${state}): dead rows stay until it ends.`,
        `End it if nobody needs it: select pg_terminate_backend(${pid})`,
      ),
    ),
    ...prepared.map(({ name }) =>
      warning(
        'database.transaction',
        `The prepared transaction "${name}" was left: it keeps its locks, and dead rows stay.`,
        `Ask who made it, then: rollback prepared '${name}'`,
      ),
    ),
  ];
}

async function lookAtSlots(sql: Sql, { slotBytes }: UpkeepLimits): Promise<Finding[]> {
  const idle = await FIND_SLOTS.run(sql, { bytes: slotBytes });
  return idle.map(({ name, mib }) =>
    warning(
      'database.slot',
      `Nobody reads the replication slot ${name}, and ${mib} MiB of log are kept for it: the disk fills.`,
      `Start its replica again, or drop it: select pg_drop_replication_slot('${name}')`,
    ),
  );
}

async function lookAtXids(sql: Sql, { xidMillions }: UpkeepLimits): Promise<Finding[]> {
  const { millions: value = 0 } = (await READ_XID_AGE.first(sql)) ?? {};
  const finding = graded(
    'database.transaction_numbers',
    { value, ...xidMillions },
    `The oldest transaction number is ${value} million old; near 2,100 million nothing can be written.`,
    'End old transactions, drop idle slots, and let autovacuum run: vacuum (freeze, verbose)',
  );
  return finding.status === 'ok' ? [] : [finding];
}
