/**
 * The sends of which this process knows more than a database that is away: outcomes of attempts, and requests that were answered as failed.
 * The database is told when it answers again. Recovery leaves these sends alone until then, unless the process dies.
 */
import type { Ctx } from '../../../context.ts';
import { unavailable } from '../../../db/batch.ts';
import type { Database } from '../../../db/orm.ts';
import { perDatabase } from '../../../db/per-database.ts';
import { isInDoubt, isUnavailable, OverdueError } from '../../../db/statements/sql.ts';
import { AppError } from '../../../kernel/errors.ts';
import { toUuid } from '../../../kernel/ids.ts';
import type { ChannelAttempt } from '../attempt.entity.ts';
import { LEASE_SECONDS } from '../send.ts';
import type { Known, Resumable, SendKind } from '../send-kind.ts';
import { tracedStep } from '../traces/trace-send.ts';
import { healOvertaken } from './heal-overtaken.ts';
import { markOf } from './marks.ts';
import { OvertakenError } from './overtaken-error.ts';
import { TAKE_UNFINISHED } from './recover.sql.ts';

/** How often the database is asked whether it is back. */
const LOOK_INTERVAL_MS = 1_000;

/** How long a send that is not there is looked for, from the first answer on: a commit may have been under way. */
const LOOK_FOR_MS = 10_000;

/** How many sends are remembered; recovery ends what is beyond. */
const SIZE_MAX = 10_000;

/** How often an end is tried that fails; then it is left to recovery. */
const FAULTS_MAX = 10;

/** How long an answer may have taken for its send to be made: a process that was stopped itself is too late. */
const ANSWER_MS = 8_500;

interface Entry extends Known {
  readonly id: string;
  readonly table: SendKind<never>['table'];
  /** Goes on with the send under this lease. */
  resume(lease: string): Promise<void>;
  /** For one that another process has ended: adds what is known. */
  heal(): Promise<void>;
  /** When the database answered first. */
  lookedMs: number | null;
  /** How often it could not be ended. */
  faults: number;
}

interface Notebook {
  readonly entries: Map<string, Entry>;
  /** The tables whose sends are looked for. Each by itself: a passcode has no time to wait for the providers of messages. */
  readonly looking: Set<Entry['table']>;
}

const notebookOf = perDatabase((): Notebook => ({ entries: new Map(), looking: new Set() }));

const entriesOf = ({ entries }: Notebook, table: Entry['table']): Entry[] =>
  [...entries.values()].filter(entry => entry.table === table);

/** The sends of a table that this process has to finish, by their uuids. */
export function unfinishedIds(database: Database, table: Entry['table']): string[] {
  return entriesOf(notebookOf(database), table).map(entry => toUuid(entry.id));
}

/** How much is known of an attempt: nothing, that it was made, or what became of it. */
function knowledgeOf({ status }: ChannelAttempt): number {
  return status === 'pending' ? 0 : status === 'unknown' ? 1 : 2;
}

/** Merges two states of a send: of each attempt the one that knows more, and a withdrawn send stays withdrawn. */
function merged(before: Known | undefined, now: Known): Known {
  if (!before) return now;
  const attempts = new Map(now.attempts.map(attempt => [attempt.id, attempt]));
  for (const attempt of before.attempts) {
    const latest = attempts.get(attempt.id);
    if (!latest || knowledgeOf(attempt) > knowledgeOf(latest)) attempts.set(attempt.id, attempt);
  }
  return { attempts: [...attempts.values()], isWithdrawn: before.isWithdrawn || now.isWithdrawn };
}

/** Remembers a routing that could not be stored: `attempts` with what became of them; one that is pending was never made. */
export function leaveUnfinished<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  known: Known,
): void {
  const notebook = notebookOf(ctx.services.database);
  const { entries } = notebook;
  const before = entries.get(send.id);
  if (!before && entries.size >= SIZE_MAX) return;
  const all = merged(before, known);
  const { attempts, isWithdrawn } = all;
  if (kind.table === 'messages') markOf(ctx.services.database).keep(send.id);
  entries.set(send.id, {
    id: send.id,
    table: kind.table,
    attempts,
    isWithdrawn,
    resume: lease => kind.resume(ctx, send.id, lease, all),
    heal: async () => {
      const ended = attempts.filter(({ status }) => status !== 'pending');
      if (ended.length > 0) await healOvertaken[kind.table](ctx.services.database)({ send, known: ended });
    },
    lookedMs: null,
    faults: before?.faults ?? 0,
  });
  if (!notebook.looking.has(kind.table)) lookLater(ctx, notebook, kind.table);
}

/**
 * Accepts a send. If nobody knows whether it was accepted, the caller is told that it was not. Then it is withdrawn as soon as the database
 * answers.
 * @throws AppError `database_unavailable`, and as `accept`.
 */
export async function acceptOrWithdraw<Kind extends Resumable, Accepted>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  attempts: readonly ChannelAttempt[],
  accept: () => Promise<Accepted>,
): Promise<Accepted> {
  const startedMs = performance.now();
  ctx.services.sends.noteSend(send.accountId);
  const mark = kind.table === 'messages' ? markOf(ctx.services.database) : null;
  try {
    await mark?.begin(send.id);
    const accepted = await tracedStep(ctx, 'accept', send, accept);
    if (performance.now() - startedMs > ANSWER_MS) throw unavailable(new OverdueError());
    return accepted;
  } catch (error) {
    if (isInDoubt(error)) leaveUnfinished(ctx, kind, send, { attempts, isWithdrawn: true });
    throw error;
  } finally {
    mark?.end(send.id);
  }
}

/**
 * Stores the outcomes that an overtaken process knows of attempts, which another one has taken over as `unknown`. Raises what that one has written,
 * or takes the send back where the other has not gone on yet.
 * @param settled attempts whose outcome this process knows
 */
export async function tellOvertaken<Kind extends Resumable>(
  ctx: Ctx,
  kind: SendKind<Kind>,
  send: Kind,
  settled: readonly ChannelAttempt[],
): Promise<void> {
  const { [kind.table]: healIn } = healOvertaken;
  const heal = (): Promise<boolean> => healIn(ctx.services.database)({ send, known: settled });
  if (settled.every(({ status }) => status === 'unknown') || (await heal())) return;
  const known = { attempts: settled, isWithdrawn: false };
  const lease = (await take(ctx, kind.table, [{ id: send.id, ...known }])).get(toUuid(send.id));
  if (lease !== undefined) await kind.resume(ctx, send.id, lease, known);
  else if (!(await heal())) leaveUnfinished(ctx, kind, send, known);
}

/** Whether an error says that the database could not be asked, or had too much to do. */
function isAway(error: unknown): boolean {
  if (!(error instanceof AppError)) return isUnavailable(error);
  return error.code === 'database_unavailable' || error.code === 'overloaded';
}

function lookLater(ctx: Ctx, notebook: Notebook, table: Entry['table']): void {
  notebook.looking.delete(table);
  if (entriesOf(notebook, table).length === 0) return;
  notebook.looking.add(table);
  setTimeout(() => void look(ctx, notebook, table), LOOK_INTERVAL_MS).unref();
}

async function look(ctx: Ctx, notebook: Notebook, table: Entry['table']): Promise<void> {
  const entries = entriesOf(notebook, table);
  try {
    const taken = await take(ctx, table, entries);
    await Promise.all(entries.map(entry => finish(ctx, notebook, entry, taken.get(toUuid(entry.id)))));
  } catch (error) {
    if (!isAway(error))
      ctx.log.error({ err: error }, 'unfinished sends could not be looked for; the next look follows');
  }
  lookLater(ctx, notebook, table);
}

/** Takes the sends of which an attempt is under way as it is known here; answers their leases by their uuids. */
async function take(
  ctx: Ctx,
  table: Entry['table'],
  entries: readonly Pick<Entry, 'id' | 'attempts'>[],
): Promise<Map<string, string>> {
  const { database } = ctx.services;
  const rows = await TAKE_UNFINISHED[table].run(database.sql(), {
    leaseSeconds: LEASE_SECONDS,
    ids: entries.map(({ id }) => toUuid(id)),
    attempts: entries.flatMap(({ attempts }) => attempts.map(({ id }) => toUuid(id))),
    by: await database.clock.in(LOOK_INTERVAL_MS),
  });
  return new Map(rows.map(({ id, lease }) => [id, lease]));
}

async function finish(ctx: Ctx, { entries }: Notebook, looked: Entry, lease: string | undefined): Promise<void> {
  // More may be known since, and by the end.
  const entry = entries.get(looked.id) ?? looked;
  entry.lookedMs ??= performance.now();
  const drop = (): void => {
    entries.delete(entry.id);
    markOf(ctx.services.database).forget(entry.id);
  };
  const latest = (): Entry => entries.get(entry.id) ?? entry;
  try {
    if (lease !== undefined) await entry.resume(lease);
    else if (performance.now() - entry.lookedMs < LOOK_FOR_MS) return;
    else await entry.heal();
    if (latest() === entry) drop();
  } catch (error) {
    // The outcomes are told by then, and another process goes on.
    if (error instanceof OvertakenError && latest() === entry) return drop();
    // A statement that hung in the server may have run in between, so the next look tries again.
    if (isAway(error) || ++latest().faults < FAULTS_MAX) return;
    drop();
    ctx.log.error({ err: error, id: entry.id }, 'an unfinished send could not be ended; recovery ends it');
  }
}
