/**
 * The mark of a process: an id below which none of its messages is under way. Recovery looks for messages from the lowest mark on, so that
 * no index has to say which are under way. A mark that is too low costs time; one that is too high would lose a message.
 */
import { randomUUID } from 'node:crypto';
import { toBatchError } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { perDatabase } from '../../../db/per-database.ts';
import { toUuid, uuidFloor } from '../../../kernel/ids.ts';
import { gatewayTime } from '../../../kernel/process/gateway-time.ts';
import { LOOK_SIZE, SET_MARK } from './recover.sql.ts';

/** The age from which a mark is raised by the next message; a worker does so more often. */
const RAISE_MS = 10_000;

/** A mark of this age may be forgotten soon by other processes, which think that this one is gone. */
const FRESH_MS = 30_000;

class Mark {
  readonly #database: Database;
  readonly #process = randomUUID();
  /** Messages that are being accepted, by their uuids: nobody else sees them yet. */
  readonly #begun = new Set<string>();
  /** Messages that this process has to finish, whatever the database shows of them. */
  readonly #kept = new Set<string>();
  /** The mark as it is stored, or is about to be; null: there is none yet. */
  #oldest: string | null = null;
  #setMs = 0;
  /** Waits for its turn, for all that begin until then; null: none does. */
  #raising: Promise<void> | null = null;
  /** One statement at a time, so that none overtakes another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes a message that is about to be accepted, and resolves when the mark is below it. @throws AppError `database_unavailable` */
  begin(id: string): Promise<void> | null {
    const uuid = toUuid(id);
    this.#begun.add(uuid);
    const isCovered = this.#oldest !== null && uuid >= this.#oldest;
    const ageMs = performance.now() - this.#setMs;
    if (isCovered && ageMs < RAISE_MS) return null;
    const raising = this.raise().catch((error: unknown) => {
      throw toBatchError(error);
    });
    if (!isCovered || ageMs >= FRESH_MS) return raising;
    // The next one tries again.
    raising.catch(() => undefined);
    return null;
  }

  /** Forgets a message that is accepted or refused. */
  end(id: string): void {
    this.#begun.delete(toUuid(id));
  }

  /** Stays below a message until it is forgotten: whether it was accepted is not known. */
  keep(id: string): void {
    this.#kept.add(toUuid(id));
  }

  /** The opposite of `keep`. */
  forget(id: string): void {
    this.#kept.delete(toUuid(id));
  }

  /** Sets the mark to what is under way still. @throws the error of the database */
  raise(): Promise<void> {
    this.#raising ??= this.#next(async () => {
      this.#raising = null;
      const now = uuidFloor(gatewayTime());
      const oldestBegun = [...this.#begun, ...this.#kept].reduce((a, b) => (a < b ? a : b), now);
      // A message that begins meanwhile is compared with this mark.
      this.#oldest = oldestBegun;
      const row = await SET_MARK.first(this.#database.sql(), {
        process: this.#process,
        oldestBegun,
        lookSize: LOOK_SIZE,
      });
      this.#setMs = performance.now();
      this.#oldest = row?.oldest ?? null;
    });
    return this.#raising;
  }

  #next(run: () => Promise<void>): Promise<void> {
    const running = this.#last.then(run);
    this.#last = running.catch(() => {
      this.#oldest = null;
    });
    return running;
  }
}

/** The mark of this process in a database. */
export const markOf = perDatabase(database => new Mark(database));
