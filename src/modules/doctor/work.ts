/** Checks webhooks and jobs that are late, fail, or were given up. */
import type { Sql } from '../../db/statements/sql.ts';
import { uuidFloor } from '../../kernel/ids.ts';
import { gatewayTime } from '../../kernel/process/gateway-time.ts';
import { type Finding, ok, warning } from './finding.ts';
import { COUNT_ENDPOINTS, COUNT_JOBS, COUNT_LATE_DELIVERIES, COUNT_QUARANTINED } from './work.sql.ts';

/** Work is late after so long; workers poll every second. */
export const LATE_SECONDS = 60;

/** Counts of what waits stop here, to keep the statement short. */
export const COUNTED_MAX = 10_000;

/** How far back quarantined deliveries are counted. */
const DAYS_BACK = 7;

/** A day. */
export const DAY_MS = 86_400_000;

const some = (count: number): string => (count >= COUNTED_MAX ? `${COUNTED_MAX} or more` : String(count));

/** Checks webhooks. @throws errors of the database */
export async function lookAtWebhooks(sql: Sql): Promise<Finding[]> {
  return [await lookAtEndpoints(sql), await lookAtBacklog(sql), await lookAtQuarantine(sql)];
}

async function lookAtEndpoints(sql: Sql): Promise<Finding> {
  const row = await COUNT_ENDPOINTS.first(sql);
  const { total, disabled, failing } = row ?? { total: 0, disabled: 0, failing: 0 };
  const message = `Of ${total} webhook endpoints ${disabled} are disabled, and ${failing} have failed for more than an hour.`;
  if (disabled + failing === 0) return ok('webhooks.endpoints', message);
  return warning(
    'webhooks.endpoints',
    message,
    'Tell their owners; what was missed can be recovered: npx heliograph webhooks recover <endpointId> --since <time>',
  );
}

async function lookAtBacklog(sql: Sql): Promise<Finding> {
  const row = await COUNT_LATE_DELIVERIES.first(sql, { seconds: LATE_SECONDS, limit: COUNTED_MAX });
  const late = row?.late ?? 0;
  if (late === 0) return ok('webhooks.backlog', 'No webhook delivery is late.');
  return warning(
    'webhooks.backlog',
    `${some(late)} webhook deliveries are more than a minute late.`,
    'See that a worker runs (ROLE all or worker); a slow endpoint has deliveries of its own wait.',
  );
}

async function lookAtQuarantine(sql: Sql): Promise<Finding> {
  const lowestId = uuidFloor(new Date(gatewayTime().getTime() - DAYS_BACK * DAY_MS));
  const row = await COUNT_QUARANTINED.first(sql, { lowestId, limit: COUNTED_MAX });
  const count = row?.count ?? 0;
  if (count === 0) return ok('webhooks.quarantine', `No delivery of the last ${DAYS_BACK} days is quarantined.`);
  return warning(
    'webhooks.quarantine',
    `${some(count)} deliveries of the last ${DAYS_BACK} days were quarantined: three workers died over each.`,
    'See in the log why workers died; then: npx heliograph webhooks redeliver <deliveryId>',
  );
}

/** Checks the job queue. @throws errors of the database */
export async function lookAtJobs(sql: Sql): Promise<Finding[]> {
  const row = await COUNT_JOBS.first(sql, { seconds: LATE_SECONDS, limit: COUNTED_MAX });
  const { late, failed } = row ?? { late: 0, failed: 0 };
  const findings = [
    late === 0
      ? ok('jobs.backlog', 'No job is late.')
      : warning(
          'jobs.backlog',
          `${some(late)} jobs are more than a minute late.`,
          'See that a worker runs (ROLE all or worker).',
        ),
  ];
  if (failed > 0)
    findings.push(
      warning(
        'jobs.failed',
        `${some(failed)} jobs failed for good within a day.`,
        'See why in the log: "a job failed".',
      ),
    );
  return findings;
}
