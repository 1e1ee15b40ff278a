/** The provider `smpp`: hands texts to an SMSC by SMPP 3.4, over sessions that stand, and takes receipts and texts of people from them. */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionServices, Inbound, ProviderDefinition, Report, SendRequest } from '../contract.ts';
import type { SendOutcome } from '../outcome.ts';
import type { SubmitAnswer } from './answers.ts';
import { type SmppConfig, smppConfig } from './config.ts';
import { readInbound } from './inbound.ts';
import { NOT_BOUND, SmppLink, THROTTLED_MS } from './link.ts';
import { probeSmsc } from './probe.ts';
import { plainId, readReceipt } from './receipt.ts';
import { DeliveryGroups, eachAlone, together } from './reports.ts';
import { SmppSession } from './session.ts';
import { OWN_STATUS, statusClass, statusName } from './statuses.ts';
import { isAddress, type Submit, submitsOf } from './submits.ts';

/** References of long texts have 16 bits at most. */
const REFERENCES = 0x10000;

/** How often a further part is submitted that is throttled each time, while no other part of its text is taken. */
const PART_TRIES_MAX = 5;

/** How long a report of the gateway's own waits before it is stored again, in milliseconds. */
const REPORT_AGAIN_MS = 1_000;

/** An SMSC, in the registry. */
export const smpp: ProviderDefinition<SmppConfig> = {
  id: 'smpp',
  label: 'SMSC (SMPP)',
  capabilities: { channels: ['sms'], receipts: 'own', parts: true },
  configSchema: smppConfig,
  create(config, services) {
    const { id, capabilities } = smpp;
    const own = new Smpp(config, services);
    return {
      id,
      capabilities,
      open: () => own.open(),
      send: (request, signal) => own.send(request, signal),
      close: () => own.close(),
    };
  },
  probe: (config, _services, signal) => probeSmsc(config, signal),
};

type Accepted = Extract<SendOutcome, { kind: 'accepted' }>;
type NotAccepted = Exclude<SendOutcome, Accepted>;

class Smpp {
  readonly #config: SmppConfig;
  readonly #reports: DeliveryGroups<Report>;
  readonly #inbound: DeliveryGroups<Inbound>;
  readonly #link: SmppLink;
  #underWay = 0;
  #isClosed = false;
  /** Resolves when nothing is under way any more; null: nobody waits for that. */
  #drained: PromiseWithResolvers<void> | null = null;
  // Each process begins elsewhere: texts to one phone within a short time should not share one.
  #reference = Math.floor(Math.random() * REFERENCES);

  constructor(config: SmppConfig, services: ConnectionServices) {
    this.#config = config;
    this.#reports = new DeliveryGroups(together(reports => services.receive(reports)));
    this.#inbound = new DeliveryGroups(eachAlone(messages => services.hear(messages)));
    this.#link = new SmppLink(config, {
      onDelivery: async delivery => {
        const report = readReceipt(delivery, config.receiptIds);
        if (report !== null) return this.#reports.add(report);
        const message = readInbound(delivery);
        // Anything else, as a receipt of nothing that is final, is taken and dropped.
        return message === null || this.#inbound.add(message);
      },
      onLink: state => services.onLink(state),
      onDeaf: error => services.onDeaf(error),
    });
  }

  open(): void {
    this.#link.open();
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    if (!isAddress(request.from) || !isAddress(request.to)) return BAD_ADDRESS;
    this.#reference = (this.#reference + 1) % REFERENCES;
    const [first, ...others] = submitsOf(request, this.#config.longMessages, this.#reference);
    this.#underWay += 1;
    try {
      const place = await this.#link.room(request, signal);
      if (!(place instanceof SmppSession)) return place;
      // The first part goes alone: where it is refused, nothing of the text has left, and it may be tried again.
      const answer = await place.submit(first);
      const outcome = this.#judge(answer, place, request.attemptId);
      if (others.length === 0 && (answer.command === null || signal.aborted))
        void this.#tellLate(request.attemptId, answer);
      if (others.length > 0 && outcome.kind === 'accepted' && signal.aborted) {
        // Nobody waits for the text any more, and without its other parts the phone shows nothing.
        place.giveRoom();
        return LOST.timeout;
      }
      if (outcome.kind !== 'accepted' || others.length === 0) {
        place.giveRoom();
        return outcome;
      }
      const whole = this.#sendOthers(request.attemptId, place, outcome, others, signal);
      // Now that the others wait for it: they go before other texts.
      place.giveRoom();
      return await whole;
    } finally {
      this.#leave();
    }
  }

  /** Reports the id of a text that the SMSC took when its attempt was over: without it no receipt of the text would be known. */
  async #tellLate(attemptId: string, answer: SubmitAnswer): Promise<void> {
    const late = answer.command === null ? await answer.late : answer;
    const outcome = late && outcomeOf(late, attemptId);
    if (outcome?.kind !== 'accepted') return;
    const { providerMessageId } = outcome;
    await this.#report({ providerMessageId, attemptId, status: 'sent', errorCode: null, errorMessage: null });
  }

  /** One thing less is under way. */
  #leave(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#drained?.resolve();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#link.refuse();
    if (this.#underWay > 0) {
      this.#drained = Promise.withResolvers();
      await this.#drained.promise;
    }
    const stored = Promise.all([this.#reports.idle(), this.#inbound.idle()]);
    const storedOrLate = Promise.race([stored, delay(this.#config.responseTimeoutMs, undefined, { ref: false })]);
    // At once, so that the SMSC keeps from now on what it would deliver.
    await Promise.all([storedOrLate, this.#link.close()]);
  }

  /**
   * Submits the further parts, in order. Something has left, and is paid for: the text is accepted, whatever becomes of them, so that nobody
   * repeats it. A part that was refused is reported as failed, by which the text is; one without an answer keeps it from being delivered. Those that have
   * none at the end of the attempt go on behind it, since half a text is of no use.
   */
  async #sendOthers(
    attemptId: string,
    session: SmppSession,
    first: Accepted,
    others: readonly Submit[],
    signal: AbortSignal,
  ): Promise<Accepted> {
    const ids = others.map((_, index) => `${attemptId}.${index + 2}`);
    const text = { taken: 0 };
    this.#underWay += 1;
    const whole = Promise.all(
      others.map(async (submit, index) => {
        const { id, refused } = await this.#sendPart(ids[index] as string, session, submit, text);
        ids[index] = id;
        return refused ? [failureOf(id, attemptId, refused)] : [];
      }),
    )
      .then(failed => {
        for (const report of failed.flat()) void this.#report(report);
      })
      .finally(() => this.#leave());
    await Promise.race([whole, once(signal, 'abort')]);
    const partIds = [...new Set([first.providerMessageId, ...ids])];
    return partIds.length > 1 ? { ...first, partIds } : first;
  }

  /** Stores a report that the gateway made itself, until that works or the process ends: no SMSC repeats it. */
  async #report(report: Report): Promise<void> {
    while (!(await this.#reports.add(report)) && !this.#isClosed)
      await delay(REPORT_AGAIN_MS, undefined, { ref: false });
  }

  /** `standIn`: the id of a part to which the SMSC gives none. `text`: how many parts beside the first were taken. `refused`: it was not. */
  async #sendPart(
    standIn: string,
    session: SmppSession,
    submit: Submit,
    text: { taken: number },
  ): Promise<{ readonly id: string; readonly refused: NotAccepted | null }> {
    let takenBefore = 0;
    for (let tryNumber = 1; ; tryNumber++) {
      await this.#link.roomFor(session);
      const outcome = this.#judge(await session.submit(submit), session, standIn);
      session.giveRoom();
      if (outcome.kind === 'accepted') {
        text.taken += 1;
        return { id: outcome.providerMessageId, refused: null };
      }
      if (outcome.kind === 'unknown') return { id: standIn, refused: null };
      // An SMSC that takes one after the other is no reason to give up.
      if (text.taken > takenBefore) tryNumber = 1;
      takenBefore = text.taken;
      if (outcome.kind !== 'throttled' || tryNumber === PART_TRIES_MAX) return { id: standIn, refused: outcome };
    }
  }

  /** The outcome of an answer. A throttled one pauses the link, and one that finds the bind wrong ends the session. */
  #judge(answer: SubmitAnswer, session: SmppSession, standIn: string): SendOutcome {
    const outcome = outcomeOf(answer, standIn);
    if (outcome.kind === 'throttled') this.#link.hold();
    // An SMSC that says that we are not bound, or not as we should be, takes nothing until we are.
    if (answer.command !== null && statusClass(answer.status) === 'session')
      session.end(new Error(`The SMSC answered ${statusName(answer.status)}.`));
    return outcome;
  }
}

const BAD_ADDRESS: SendOutcome = {
  kind: 'rejected',
  code: 'invalid_address',
  message: 'The SMSC can only take a sender of 1 to 20 ASCII characters.',
  isOwn: true,
};

const LOST: Readonly<Record<'timeout' | 'connection_broken' | 'not_bound', NotAccepted>> = {
  timeout: { kind: 'unknown', code: 'timeout', message: 'The SMSC did not answer in time.' },
  connection_broken: { kind: 'unknown', code: 'connection_broken', message: 'The connection to the SMSC broke off.' },
  not_bound: NOT_BOUND,
};

/** `standIn`: the id of a message to which the SMSC gives none. */
function outcomeOf(answer: SubmitAnswer, standIn: string): SendOutcome {
  if (answer.command === null) return LOST[answer.code];
  if (answer.command === 'submit_sm_resp' && answer.status === OWN_STATUS.ok)
    return { kind: 'accepted', providerMessageId: plainId(answer.fields.message_id ?? '') || standIn };
  return refusalOf(answer.status);
}

/** An answer that is no acceptance. A `generic_nack` without a status says no more than that. */
function refusalOf(status: number): NotAccepted {
  const name = status === OWN_STATUS.ok ? 'generic_nack' : statusName(status);
  const told = { code: name.toLowerCase(), message: `The SMSC answered ${name}.` };
  switch (statusClass(status)) {
    case 'throttled':
      return { kind: 'throttled', ...told, retryAfterMs: THROTTLED_MS };
    case 'busy':
    case 'session':
      return { kind: 'unavailable', ...told };
    case 'message':
      return { kind: 'rejected', ...told };
    case 'connection':
      return { kind: 'rejected', ...told, isOwn: true };
  }
}

function failureOf(providerMessageId: string, attemptId: string, { code, message }: NotAccepted): Report {
  return { providerMessageId, attemptId, status: 'failed', errorCode: code, errorMessage: message };
}
