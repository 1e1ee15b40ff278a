/**
 * The mark of a process: an id below which none of its messages is under way. Recovery looks for messages from the lowest mark on, so that
 * no index has to say which are under way; a mark that is too low costs time, and one that is too high would lose a message.
 */
import { randomUUID } from 'node:crypto';
import { toBatchError } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { toUuid, uuidFloor } from '../../../kernel/ids.ts';
import { LOWER_MARK, SET_MARK } from './recover.sql.ts';

/** A mark that was set so long ago may be forgotten soon by other processes, which think that this one is gone. */
const FRESH_MS = 30_000;

class Mark {
  readonly #database: Database;
  readonly #process = randomUUID();
  /** Messages that are being accepted, by their uuids: nobody else sees them yet. */
  readonly #begun = new Set<string>();
  /** The mark as it is stored, or is about to be; null: there is none yet. */
  #oldest: string | null = null;
  #setMs = 0;
  /** Waits for its turn, for all that begin until then; null: none does. */
  #lowering: Promise<void> | null = null;
  /** One statement at a time, so that none overtakes another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes a message that is about to be accepted, and resolves when the mark is below it. @throws AppError `database_unavailable` */
  begin(id: string): Promise<void> | null {
    const uuid = toUuid(id);
    this.#begun.add(uuid);
    const isCovered = this.#oldest !== null && uuid >= this.#oldest && performance.now() - this.#setMs < FRESH_MS;
    return isCovered ? null : this.#lower();
  }

  /** Forgets a message that is accepted or refused. */
  end(id: string): void {
    this.#begun.delete(toUuid(id));
  }

  /** Raises the mark to what is under way still. @param unfinished messages that this process has to finish, by their uuids */
  async raise(unfinished: readonly string[]): Promise<void> {
    await this.#next(async () => {
      const oldestBegun = [...this.#begun, ...unfinished, uuidFloor(new Date())].reduce((a, b) => (a < b ? a : b));
      this.#oldest = oldestBegun;
      const row = await SET_MARK.first(this.#database.sql(), { process: this.#process, oldestBegun });
      this.#setMs = performance.now();
      this.#oldest = row?.oldest ?? null;
    });
  }

  #lower(): Promise<void> {
    this.#lowering ??= this.#next(async () => {
      this.#lowering = null;
      const oldest = [...this.#begun].reduce((a, b) => (a < b ? a : b), this.#oldest ?? uuidFloor(new Date()));
      await LOWER_MARK.run(this.#database.sql(), { process: this.#process, oldest }).catch((error: unknown) => {
        throw toBatchError(error);
      });
      this.#setMs = performance.now();
      this.#oldest = oldest;
    });
    return this.#lowering;
  }

  #next(run: () => Promise<void>): Promise<void> {
    const running = this.#last.then(run);
    this.#last = running.catch(() => {
      this.#oldest = null;
    });
    return running;
  }
}

const marks = new WeakMap<Database, Mark>();

/** The mark of this process in a database. */
export function markOf(database: Database): Mark {
  const mark = marks.get(database) ?? new Mark(database);
  marks.set(database, mark);
  return mark;
}
