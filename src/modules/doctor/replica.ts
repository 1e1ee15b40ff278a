/** Checks the read replica, if there is one. */
import type { Database } from '../../db/orm.ts';
import { BEHIND_MAX_MS, type ReplicaState } from '../../db/replica/wake.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

const NAME = 'database.replica';

const PRIMARY = 'Lists and figures are read from the primary.';

/** The message and the remedy of each unsound state. */
const UNSOUND: Readonly<Record<Exclude<ReplicaState, 'following'>, readonly [string, string]>> = {
  behind: [
    `The replica is more than ${BEHIND_MAX_MS / 1_000} s behind, or has just begun. ${PRIMARY}`,
    'Where it lasts: see whether the replica still streams (pg_stat_replication on the primary), and whether a long read holds it up.',
  ],
  away: [
    `The replica does not answer. ${PRIMARY}`,
    'See that it runs, and that DATABASE_REPLICA_URL reaches it with that user and password.',
  ],
  promoted: [
    `DATABASE_REPLICA_URL leads to a primary, not to a replica. ${PRIMARY}`,
    'Set DATABASE_REPLICA_URL to a streaming replica, or leave it out.',
  ],
  foreign: [
    `DATABASE_REPLICA_URL leads to another database than DATABASE_URL. ${PRIMARY}`,
    'Set DATABASE_REPLICA_URL to a streaming replica of the same database, or leave it out: the gateway does not start with it.',
  ],
};

/** Checks the replica now. */
export async function lookAtReplica({ replica }: Database): Promise<Finding[]> {
  if (!replica) return [];
  const { state, lagSeconds } = await replica.check();
  if (state === 'following') return [ok(NAME, `The replica answers, and is ${(lagSeconds ?? 0).toFixed(1)} s behind.`)];
  const bad = state === 'foreign' ? fault : warning;
  return [bad(NAME, ...UNSOUND[state])];
}
