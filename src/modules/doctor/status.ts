/** The verb *gateway status*: what an operator wants to see at a glance, of all accounts. */
import { type Ctx, requireOperator } from '../../context.ts';
import type { ReplicaReading } from '../../db/replica/wake.ts';
import { runSql } from '../../db/statements/sql.ts';
import type { Answer } from '../../db/statements/statement.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { type OverviewTotals, totalsOf } from '../figures/overview.policy.ts';
import { COUNT_STANDING, COUNT_TODAY } from './status.sql.ts';
import { COUNT_JOBS, COUNT_LATE_DELIVERIES } from './work.sql.ts';
import { COUNTED_MAX, DAY_MS, LATE_SECONDS } from './work.ts';

/** How the gateway stands. */
export interface GatewayStatus extends Answer<typeof COUNT_STANDING> {
  /** The version of PostgreSQL, such as `17.2`. */
  readonly database: string;
  readonly isEmbedded: boolean;
  /** Null: there is none. */
  readonly replica: ReplicaReading | null;
  readonly deliveriesDue: number;
  readonly deliveriesLate: number;
  readonly jobsLate: number;
  /** The attempts since midnight UTC. */
  readonly today: OverviewTotals;
}

/** How the gateway stands, over all accounts. The operator only. @throws AppError `unauthenticated`, `wrong_area` */
export async function gatewayStatus(ctx: Ctx): Promise<GatewayStatus> {
  requireOperator(ctx);
  const { database, settings } = ctx.services;
  const sql = database.sql(ctx.signal);
  const midnight = new Date(Math.floor(ctx.clock.now().getTime() / DAY_MS) * DAY_MS);
  const [version] = await runSql<{ server_version: string }>(sql, 'show server_version', []);
  const standing = await COUNT_STANDING.first(sql);
  const due = await COUNT_LATE_DELIVERIES.first(sql, { seconds: 0, limit: COUNTED_MAX });
  const late = await COUNT_LATE_DELIVERIES.first(sql, { seconds: LATE_SECONDS, limit: COUNTED_MAX });
  const jobs = await COUNT_JOBS.first(sql, { seconds: LATE_SECONDS, limit: COUNTED_MAX });
  return {
    ...(standing ?? { accounts: 0, up: 0, down: 0, unused: 0, paused: 0 }),
    // The number alone: the package behind it, `(Debian 17.2-1)`, is left out.
    database: version?.server_version.split(' ')[0] ?? 'unknown',
    isEmbedded: settings.isEmbedded,
    replica: database.replica?.reading ?? null,
    deliveriesDue: due?.late ?? 0,
    deliveriesLate: late?.late ?? 0,
    jobsLate: jobs?.late ?? 0,
    today: totalsOf(await COUNT_TODAY.run(sql, { from: uuidFloor(midnight) })),
  };
}
