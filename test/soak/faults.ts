/** The faults of the gateways and their database, in turn. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync, statfsSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { WrongClock } from '../support/clocks/clock-file.ts';
import type { Cluster } from '../support/databases/cluster.ts';
import { runSql } from '../support/databases/postgres.ts';
import type { LastingGateway } from './gateways.ts';

/** The victims of the faults. */
export interface Victims {
  /** Dies again and again, and has a clock that is wrong. */
  readonly mortal: LastingGateway;
  /** Stands still at times, and never dies: its memory tells. */
  readonly lasting: LastingGateway;
  readonly cluster: Cluster;
  readonly databaseUrl: string;
  readonly clock: WrongClock | null;
  readonly disk: SmallDisk | null;
  /** Whether the receiver of webhooks cuts its callers off. */
  readonly receiver: { isAway: boolean };
}

/** How long what stands still does so. */
const STILL_MS = 4_000;

const STEPS_SECONDS = [3_600, -600, 0];

/** Each fault; null: it cannot be done here. */
const FAULTS: Readonly<Record<string, (victims: Victims) => (() => Promise<void>) | null>> = {
  'a gateway is killed': ({ mortal }) => mortal.restart,
  'a gateway stands still':
    ({ lasting }) =>
    async () => {
      lasting.signal('SIGSTOP');
      await wait(STILL_MS);
      lasting.signal('SIGCONT');
    },
  'all connections to the database are cut':
    ({ databaseUrl }) =>
    async () => {
      await runSql(
        databaseUrl,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    },
  'the clock of a gateway steps': ({ clock }) =>
    clock &&
    (async () => {
      const ahead = STEPS_SECONDS.shift() ?? 0;
      STEPS_SECONDS.push(ahead);
      await clock.set(ahead);
    }),
  'the receiver of webhooks is away':
    ({ receiver }) =>
    async () => {
      receiver.isAway = true;
      await wait(STILL_MS);
      receiver.isAway = false;
    },
  'the database dies':
    ({ cluster }) =>
    async () => {
      await cluster.crash();
      await cluster.restart();
    },
  'the database stands still':
    ({ cluster }) =>
    async () => {
      await cluster.freeze();
      await wait(STILL_MS);
      await cluster.thaw();
    },
  'the disk of the database is full': ({ disk, cluster, databaseUrl }) =>
    disk &&
    (async () => {
      disk.fill();
      await wait(STILL_MS);
      disk.free();
      // PostgreSQL goes on, or has ended for want of room for its log.
      await wait(1_000);
      await runSql(databaseUrl, 'select 1').catch(() => cluster.restart());
    }),
};

/** A fault that was done, and how long after its end a send was taken again. */
export interface FaultDone {
  readonly name: string;
  readonly second: number;
  readonly backSeconds: number;
}

/** Does one fault after another, with a pause between. @param untilTaken resolves when a send of each gateway has been taken that began after the call */
export async function doFaults(
  victims: Victims,
  pauseMs: number,
  signal: AbortSignal,
  untilTaken: () => Promise<void>,
): Promise<FaultDone[]> {
  const done: FaultDone[] = [];
  const beganMs = performance.now();
  const all = Object.entries(FAULTS).flatMap(([name, make]) => {
    const act = make(victims);
    if (!act) process.stdout.write(`Left out: ${name}.\n`);
    return act ? [{ name, act }] : [];
  });
  for (let turn = 0; ; turn++) {
    await wait(pauseMs, undefined, { signal }).catch(() => undefined);
    const fault = all[turn % all.length];
    if (signal.aborted || !fault) return done;
    const second = Math.round((performance.now() - beganMs) / 1_000);
    await fault.act();
    const endedMs = performance.now();
    await untilTaken();
    const backSeconds = (performance.now() - endedMs) / 1_000;
    done.push({ name: fault.name, second, backSeconds });
    process.stdout.write(`${second} s: ${fault.name}; sends again after ${backSeconds.toFixed(1)} s\n`);
  }
}

/** A disk that can be full. */
export interface SmallDisk {
  fill(): void;
  free(): void;
  /** Leaves the folder, whoever still uses it. */
  leave(): void;
}

const ROOMY = '4g';
const MORE_MAX_KIB = 64 * 1_024;

/** Puts a folder with its content on a disk of its own, in memory; null if the system or the user does not allow it. */
export function makeSmallDisk(folder: string): SmallDisk | null {
  const copy = `${folder}.copy`;
  try {
    cpSync(folder, copy, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOMY},mode=700`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  } finally {
    // Also where nothing was mounted.
    cpSync(copy, folder, { recursive: true, force: true });
    rmSync(copy, { recursive: true, force: true });
  }
  const resize = (size: string): void =>
    void execFileSync('mount', ['-o', `remount,size=${size}`, folder], { stdio: 'ignore' });
  /** Shrinks the disk to its used space, and as much more as is written before the new size is set. */
  const fill = (moreKiB: number): void => {
    const { blocks, bfree, bsize } = statfsSync(folder);
    try {
      resize(`${Math.ceil(((blocks - bfree) * bsize) / 1_024) + moreKiB}k`);
    } catch (error) {
      if (moreKiB > MORE_MAX_KIB) throw error;
      fill(2 * moreKiB);
    }
  };
  return {
    fill: () => fill(64),
    free: () => resize(ROOMY),
    leave: () => void execFileSync('umount', ['-l', folder]),
  };
}
