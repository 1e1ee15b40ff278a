/** Stores how a connection is, for those who ask another process. */
import type { Ctx } from '../../../context.ts';
import { statement } from '../../../db/statements/statement.ts';
import { toUuid } from '../../../kernel/ids.ts';
import { storableText } from '../../../kernel/storable.ts';
import type { BreakerState } from './breaker.ts';

const NOTE_HEALTH = statement('note health', {
  takes: { id: 'uuid', health: 'text', error: 'text?' },
  sql: p => `update connections set health = ${p.health}, health_error = ${p.error},
      health_since = case when health <> ${p.health} then clock_timestamp() else health_since end
    where id = ${p.id} and (health <> ${p.health} or health_error is distinct from ${p.error})`,
});

/** The changes that a process stores: those of a connection one after the other, or the last one might not be the one that stays. */
export class HealthNotes {
  readonly #last = new Map<string, Promise<void>>();

  /** Stores that a connection went up or down, or is down for another reason. Of processes that see it differently the last one is believed. Failures are logged. */
  note(ctx: Ctx, connectionId: string, state: BreakerState): void {
    const noted = (this.#last.get(connectionId) ?? Promise.resolve())
      .then(() => noteHealth(ctx, connectionId, state))
      .catch((error: unknown) =>
        ctx.log.warn({ connectionId, err: error }, 'the health of a connection could not be stored'),
      )
      .then(() => {
        if (this.#last.get(connectionId) === noted) this.#last.delete(connectionId);
      });
    this.#last.set(connectionId, noted);
  }
}

async function noteHealth(
  { services: { database } }: Ctx,
  connectionId: string,
  { status, error }: BreakerState,
): Promise<void> {
  const row = { id: toUuid(connectionId), health: status, error: error === null ? null : storableText(error) };
  await NOTE_HEALTH.run(database.sql(), row);
}
