/** The provider `http-sms`: asks any HTTP gateway as its configuration says. */
import { isCode } from '../../kernel/attempt-errors.ts';
import type { Inbound, Probed, ProviderDefinition, Report, ReportRequest, SendRequest } from '../contract.ts';
import { type Refusal, refusedAs, tellable } from '../http/answer.ts';
import { ANSWER_BYTES_MAX, type Answer } from '../http/client.ts';
import { type Dialect, httpProvider, probeHttp } from '../http/provider.ts';
import type { SendOutcome } from '../outcome.ts';
import { httpSmsConfig } from './config.ts';
import { readPattern } from './pattern.ts';
import { type Place, readPlace, type Said } from './place.ts';
import { type MakeRequest, requestMaker } from './request.ts';
import type { HttpSmsConfig } from './schema.ts';

/** Answers that say that the gateway does not take our word, whatever the message is. */
const OWN_FAULTS: readonly number[] = [401, 402, 403, 407];

/** Answers that say that nobody takes messages at this address, unless the config says that they mean more: these, and redirects, which are not followed. */
const NOT_A_GATEWAY: readonly number[] = [404, 405];

/** An id of a gateway that can be stored and found again. */
const MESSAGE_ID = /^[\x21-\x7e]{1,255}$/;

/** The empty message by which a config is tried. */
const NOTHING: SendRequest = {
  attemptId: '',
  accountId: '',
  channel: 'sms',
  to: '',
  from: '',
  text: '',
  template: null,
  validitySeconds: null,
  tryNumber: 1,
};

/** Whether an answer is what a rule of the config describes. */
type Fits = (answer: Answer) => boolean;

/** Any HTTP gateway, in the registry. */
export const httpSms: ProviderDefinition<HttpSmsConfig> = {
  id: 'http-sms',
  label: 'HTTP gateway',
  capabilities: { channels: ['sms'], receipts: 'http' },
  configSchema: httpSmsConfig,
  create: (config, { receiptsUrl, userAgent }) => {
    const { id, capabilities } = httpSms;
    // A gateway whose config says nothing of receipts sends none that is understood.
    const receipts = config.receipt ? capabilities.receipts : 'none';
    const arrivals = tellsArrivals(config) ? {} : ({ arrivals: false } as const);
    const facts = { id, capabilities: { ...capabilities, receipts, ...arrivals } };
    return httpProvider(facts, userAgent, new HttpSms(config, receiptsUrl));
  },
  probe: (config, { userAgent }, signal) => probeHttp(new HttpSms(config, ''), userAgent, signal),
};

class HttpSms implements Dialect {
  readonly requestOf: MakeRequest;
  readonly #secrets: readonly string[];
  readonly #isAccepted: Fits;
  readonly #isThrottled: Fits;
  readonly #isRejected: Fits;
  readonly #messageId: Place;
  readonly #reportOf: (said: Said) => Report | null;
  /** Null: nobody said how it is read. */
  readonly #inboundOf: ((said: Said) => Inbound | null) | null;

  constructor(config: HttpSmsConfig, receiptsUrl: string) {
    this.requestOf = requestMaker(config, receiptsUrl);
    this.#secrets = Object.values(config.secrets);
    this.#isAccepted = ruleOf(config.accepted);
    this.#isThrottled = ruleOf(config.throttled);
    this.#isRejected = ruleOf(config.rejected);
    this.#messageId = placeOf(config.messageId);
    this.#reportOf = reporterOf(config.receipt);
    this.#inboundOf = config.inbound ? inboundReader(config.inbound) : null;
  }

  /** The rules of the config first, as far as they fit; then what HTTP itself says. A refusal of our word (401, 403) is the connection's fault, even where `rejected` names it. */
  judge(request: SendRequest, answer: Answer): SendOutcome {
    const { status } = answer;
    if (this.#isAccepted(answer)) {
      const messageId = this.#messageId(answer) ?? '';
      return { kind: 'accepted', providerMessageId: MESSAGE_ID.test(messageId) ? messageId : request.attemptId };
    }
    const words = tellable(answer.body, this.#secrets, request);
    const told = { code: `http_${status}`, message: words === '' ? `The gateway answered ${status}.` : words };
    return refusedAs(this.#refusalOf(answer), told, answer);
  }

  /** The request of a message without recipient, sender and text: a gateway that reads it has to refuse it, but for its credentials first. */
  probeOf() {
    return this.requestOf(NOTHING);
  }

  judgeProbe(answer: Answer): Probed {
    const { status } = answer;
    if (OWN_FAULTS.includes(status))
      return {
        result: 'refused',
        message: `The gateway answered ${status}: it does not let us in. Check the secrets, and where the request has them.`,
      };
    if ((status >= 300 && status < 400) || NOT_A_GATEWAY.includes(status))
      return {
        result: 'refused',
        message: `The gateway answered ${status}: nobody takes messages there. Check the URL and the method.`,
      };
    if (status >= 500)
      return {
        result: 'unclear',
        message: `The gateway answered ${status} to a request without recipient and text. Send it a text to be sure.`,
      };
    return {
      result: 'works',
      message: `The gateway answers (${status} to a request without recipient and text). Only a text shows that it takes one.`,
    };
  }

  reportsOf(request: ReportRequest): readonly Report[] {
    const report = this.#reportOf(saidIn(request));
    return report ? [report] : [];
  }

  inboundOf(request: ReportRequest): readonly Inbound[] | 'forged' | 'unreadable' {
    // Refused, so that the gateway keeps what nobody here could read.
    if (this.#inboundOf === null) return 'forged';
    const message = this.#inboundOf(saidIn(request));
    return message ? [message] : 'unreadable';
  }

  #refusalOf(answer: Answer): Refusal {
    const { status } = answer;
    if (this.#isThrottled(answer)) return 'throttled';
    if (OWN_FAULTS.includes(status)) return 'own';
    if (this.#isRejected(answer)) return 'recipient';
    if (status >= 500) return 'down';
    return (status >= 300 && status < 400) || NOT_A_GATEWAY.includes(status) ? 'own' : 'recipient';
  }
}

/** Whether a word of the gateway means that a text has arrived. */
function tellsArrivals({ receipt }: HttpSmsConfig): boolean {
  return Object.values(receipt?.map ?? {}).some(status => status === 'delivered' || status === 'read');
}

function ruleOf(rule: HttpSmsConfig['rejected']): Fits {
  if (rule === undefined) return () => false;
  const { status, body } = rule;
  const pattern = body === undefined ? null : known(readPattern(body));
  return answer =>
    (status === undefined || status.includes(answer.status)) && (pattern === null || pattern.isIn(answer.body));
}

/** A place of the config; absent ones have nothing. @throws as `known` */
function placeOf(text: string | undefined): Place {
  return text === undefined ? () => null : known(readPlace(text));
}

/** A pattern or place of a config. @throws Error where it could not be read: a config that another version stored is not guessed at */
function known<Read>(read: Read | string): Read {
  if (typeof read === 'string') throw new Error(read);
  return read;
}

function saidIn({ url, headers, body }: ReportRequest): Said {
  return { headers, query: new URL(url).searchParams, body: body.toString('utf8', 0, ANSWER_BYTES_MAX) };
}

/** Reads what people write; null: it names nobody. */
function inboundReader(inbound: NonNullable<HttpSmsConfig['inbound']>): (said: Said) => Inbound | null {
  const [from, to, text, id] = [inbound.from, inbound.to, inbound.text, inbound.messageId].map(placeOf);
  return said => {
    const [sender, receiver] = [from?.(said) || null, to?.(said) || null];
    if (sender === null || receiver === null) return null;
    const providerMessageId = id?.(said) || null;
    return { providerMessageId, from: sender, to: receiver, type: 'text', text: text?.(said) ?? '' };
  };
}

/** Reads receipts; null: it names nothing, or a status that is not mapped. */
function reporterOf(receipt: HttpSmsConfig['receipt']): (said: Said) => Report | null {
  if (receipt === undefined) return () => null;
  const [status, attempt, message, code] = [
    receipt.status,
    receipt.attemptId,
    receipt.messageId,
    receipt.errorCode,
  ].map(placeOf);
  const map = new Map(Object.entries(receipt.map));
  return said => {
    const word = status?.(said) ?? '';
    const became = map.get(word);
    const attemptId = attempt?.(said) || null;
    const providerMessageId = message?.(said) || attemptId;
    if (became === undefined || providerMessageId === null) return null;
    const isBad = became === 'failed' || became === 'expired';
    const reason = code?.(said) ?? '';
    const errorCode = isBad ? (isCode(reason) ? reason : word.slice(0, 64)) : null;
    return { providerMessageId, attemptId, status: became, errorCode, errorMessage: null };
  };
}
