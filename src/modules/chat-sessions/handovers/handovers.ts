/**
 * Attempts that this process hands over to the owner of a session, and those that others hand over to it. Nobody sends what is not taken in time; a text
 * that was taken and is not answered may have been sent.
 */
import { NO_ACK, NOT_CONNECTED } from '../../../channels/chat-qr/outcomes.ts';
import type { SendRequest } from '../../../channels/contract.ts';
import type { SendOutcome } from '../../../channels/outcome.ts';
import type { Ctx } from '../../../context.ts';
import type { Database } from '../../../db/orm.ts';
import { fromUuid, toUuid } from '../../../kernel/ids.ts';
import type { Logger } from '../../../observability/logger.ts';
import type { Owned } from '../owned-session.ts';
import {
  ANSWER_HANDOVER,
  END_HANDOVER,
  HAND_OVER,
  HANDOVER_CHANNEL,
  OUTCOME_CHANNEL,
  TAKE_HANDOVERS,
} from './handovers.sql.ts';
import { type HandedOver, loadContent } from './load-content.ts';

/** How long an owner may take to begin: it waits for nothing before that. */
const TAKE_MS = 2_000;

/** How long what was begun may take: the deadline of a provider call, less the begin. */
const SEND_MS = 8_000;

interface HandoversParts {
  readonly database: Database;
  readonly log: Logger;
  /** A context for what is handed over, as a job has one. */
  makeCtx(): Ctx;
  /** The sessions of this process, by the ids of their connections. */
  readonly owned: ReadonlyMap<string, Owned>;
}

/** The handovers of a process. */
export class Handovers {
  readonly #parts: HandoversParts;
  /** Those that wait for their outcome, by the uuids of their attempts. */
  readonly #waiting = new Map<string, () => void>();
  readonly #underWay = new Set<Promise<void>>();
  #unlisten: (() => Promise<void>)[] = [];

  constructor(parts: HandoversParts) {
    this.#parts = parts;
  }

  /** Listens. @throws errors of the database */
  async open(): Promise<void> {
    const { database } = this.#parts;
    const look = (): void => void this.take();
    const wake = (): void => {
      for (const end of this.#waiting.values()) end();
    };
    this.#unlisten = [
      await database.listen(HANDOVER_CHANNEL, look, look),
      await database.listen(OUTCOME_CHANNEL, attempt => this.#waiting.get(attempt)?.(), wake),
    ];
  }

  /** Hands an attempt over, and answers what became of it. */
  async handOver(connectionId: string, request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const { database } = this.#parts;
    const attempt = toUuid(request.attemptId);
    const { sendId = null, to, text, goesToSuppressed = false } = request;
    let woken = Promise.withResolvers<void>();
    const wake = (): void => woken.resolve();
    this.#waiting.set(attempt, wake);
    const over = AbortSignal.any([signal, AbortSignal.timeout(TAKE_MS + SEND_MS)]);
    over.addEventListener('abort', wake, { once: true });
    const late = setTimeout(wake, TAKE_MS);
    try {
      const handed = await HAND_OVER.first(database.sql(), {
        attempt,
        connection: toUuid(connectionId),
        sendId,
        test: sendId === null ? { to, text } : null,
        goesToSuppressed,
        seconds: TAKE_MS / 1_000,
      });
      if (!handed) return NOT_CONNECTED;
      // Whatever wakes it: a listener that connects again wakes everybody.
      for (;;) {
        await woken.promise;
        // Before the look: what is answered meanwhile wakes it again.
        woken = Promise.withResolvers();
        const outcome = await this.#outcomeOf(attempt);
        if (outcome) return outcome;
        if (over.aborted) return NO_ACK;
      }
    } finally {
      clearTimeout(late);
      this.#waiting.delete(attempt);
    }
  }

  /** Takes what waits for the sessions of this process. Failures are logged. */
  async take(): Promise<void> {
    const { database, owned, log } = this.#parts;
    const owners = [...owned.values()].map(({ owner }) => owner);
    const rows = await TAKE_HANDOVERS.run(database.sql(), { owners }).catch((error: unknown) => {
      log.warn({ err: error }, 'what is handed over could not be read');
      return [];
    });
    for (const { attempt_id, connection_id, send_id, test, goes_to_suppressed } of rows) {
      const work = this.#answer({
        attemptId: fromUuid('att', attempt_id),
        connectionId: fromUuid('con', connection_id),
        sendId: send_id,
        test,
        goesToSuppressed: goes_to_suppressed,
      });
      this.#underWay.add(work);
      void work.then(() => this.#underWay.delete(work));
    }
  }

  /** Takes no more, and waits for what is under way. */
  async close(): Promise<void> {
    await Promise.all(this.#unlisten.map(unlisten => unlisten()));
    await Promise.all(this.#underWay);
  }

  /** Null: it was taken, and is under way. */
  async #outcomeOf(attempt: string): Promise<SendOutcome | null> {
    const ended = await END_HANDOVER.first(this.#parts.database.sql(), { attempt });
    return ended ? (ended.outcome ?? NOT_CONNECTED) : null;
  }

  async #answer(handed: HandedOver): Promise<void> {
    const { database, log } = this.#parts;
    const outcome = await this.#send(handed).catch((error: unknown): SendOutcome => {
      log.error({ err: error, attemptId: handed.attemptId }, 'what was handed over broke off');
      return NO_ACK;
    });
    await ANSWER_HANDOVER.run(database.sql(), { attempt: toUuid(handed.attemptId), outcome }).catch((error: unknown) =>
      log.warn({ err: error, attemptId: handed.attemptId }, 'an outcome could not be handed back'),
    );
  }

  async #send(handed: HandedOver): Promise<SendOutcome> {
    const { makeCtx, owned, log } = this.#parts;
    const signal = AbortSignal.timeout(SEND_MS);
    // Nothing has left: the next connection may be asked.
    const message = await loadContent(makeCtx(), handed).catch((error: unknown) => {
      log.warn({ err: error, attemptId: handed.attemptId }, 'what was handed over could not be loaded');
      return null;
    });
    const refusal = message?.refuse?.();
    if (refusal) return refusal;
    return (message && owned.get(handed.connectionId)?.send(message, signal)) ?? NOT_CONNECTED;
  }
}
