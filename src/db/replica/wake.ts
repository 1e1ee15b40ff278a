/** How far a replica is behind its primary, by positions of the log and the clock of this process. Pure. */

/** How far behind lists may be: what a person just did is missing for so long, and more would look like a loss. */
export const BEHIND_MAX_MS = 5_000;

/** How many positions of the primary are kept: those of ten minutes, and that which the replica has reached. */
const SAMPLES_MAX = 600;

/**
 * `following`: reads go to it. `behind`: by more than they may be, or not known yet. `away`: it does not answer. `promoted`: it is a primary itself.
 * `foreign`: it has another database.
 */
export const REPLICA_STATES = ['following', 'behind', 'away', 'promoted', 'foreign'] as const;

/** One of them. */
export type ReplicaState = (typeof REPLICA_STATES)[number];

/** How a replica stands. */
export interface ReplicaReading {
  readonly state: ReplicaState;
  /** How long ago the primary was where the replica is; null: not known yet. */
  readonly lagSeconds: number | null;
}

/** A server's role, identity and position in the log. */
export interface Place {
  readonly isReplica: boolean;
  /** The server and the database in it, alike for a primary and its replicas. */
  readonly identity: string;
  /** How far its log goes, in bytes. */
  readonly position: number;
}

/** The positions of a primary, and which of them its replica has reached. */
export class Wake {
  /** The oldest first. The replica has reached the first one if it has reached any. */
  #samples: { readonly atMs: number; readonly position: number }[] = [];
  #hasReached = false;
  #identity: string | null = null;
  #state: ReplicaState = 'away';

  /** How the replica stands. */
  get state(): ReplicaState {
    return this.#state;
  }

  /** How long ago the primary was where the replica is; null: not known. */
  lagMs(nowMs: number): number | null {
    const [first] = this.#samples;
    return this.#hasReached && first ? nowMs - first.atMs : null;
  }

  /** The primary is there, or further, at this time. */
  primaryAt({ isReplica, identity, position }: Place, atMs: number): void {
    if (isReplica) return;
    this.#identity = identity;
    // Another server took over, with a shorter log: what the replica has reached of the former one says nothing.
    if (position < (this.#samples.at(-1)?.position ?? 0)) {
      this.#samples = [];
      this.#hasReached = false;
    }
    this.#samples.push({ atMs, position });
    if (this.#samples.length > SAMPLES_MAX) this.#samples.splice(1, 1);
  }

  /** The replica is there at this time; null: it does not answer. */
  replicaAt(place: Place | null, nowMs: number): void {
    this.#state = this.#judge(place, nowMs);
  }

  #judge(place: Place | null, nowMs: number): ReplicaState {
    if (place === null) return 'away';
    if (this.#identity !== null && place.identity !== this.#identity) return 'foreign';
    if (!place.isReplica) return 'promoted';
    const reached = this.#samples.findLastIndex(({ position }) => position <= place.position);
    if (reached >= 0) {
      this.#hasReached = true;
      this.#samples.splice(0, reached);
    }
    const lagMs = this.lagMs(nowMs);
    return lagMs !== null && lagMs <= BEHIND_MAX_MS ? 'following' : 'behind';
  }
}
