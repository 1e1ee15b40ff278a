/** The provider `http-sms`: asks any HTTP gateway as its configuration says. */
import { Agent, request as ask, errors } from 'undici';
import type { Provider, ProviderDefinition, Report, ReportRequest, SendOutcome, SendRequest } from '../contract.ts';
import { type HttpSmsConfig, httpSmsConfig } from './config.ts';
import { type Place, readPattern, readPlace, type Said } from './place.ts';
import { fill, fillJson, type Values } from './template.ts';

/** The most of an answer that is read. */
const BODY_BYTES_MAX = 65_536;

/** How long a throttled attempt waits where the gateway does not say. */
const THROTTLED_MS = 1_000;

/** Answers that say that the gateway does not take our word, whatever the message is. */
const OWN_FAULTS = new Set([401, 402, 403, 407]);

/** Errors of a connection that never stood: nothing was sent. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

interface Rule {
  readonly status?: readonly number[] | undefined;
  readonly body?: string | undefined;
}

/** What a connection's provider is made with. */
export interface HttpSmsServices {
  /** Where the gateway reports, whole. */
  readonly receiptsUrl: string;
}

const capabilities = { channels: ['sms'], receipts: true } as const;

/** Any HTTP gateway, in the registry. */
export const httpSms: ProviderDefinition<HttpSmsConfig> = {
  id: 'http-sms',
  label: 'HTTP gateway',
  capabilities,
  configSchema: httpSmsConfig,
  create: (config, services) => new HttpSms(config, services),
};

class HttpSms implements Provider {
  readonly id = httpSms.id;
  readonly capabilities = capabilities;
  readonly #config: HttpSmsConfig;
  readonly #receiptsUrl: string;
  readonly #messageId: Place | null;
  // One connection takes one request at a time: what a gateway closes fails one attempt at most.
  readonly #agent = new Agent({ pipelining: 1, connections: 64, keepAliveTimeout: 4_000 });

  constructor(config: HttpSmsConfig, { receiptsUrl }: HttpSmsServices) {
    this.#config = config;
    this.#receiptsUrl = receiptsUrl;
    this.#messageId = placeOf(config.messageId);
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const { url, ...options } = this.#requestOf(request);
    try {
      const answer = await ask(url, { ...options, dispatcher: this.#agent, signal });
      const body = await read(answer.body);
      return this.#judge(request, answer.statusCode, { headers: flat(answer.headers), body });
    } catch (error) {
      const code = codeOf(error);
      const isUnsent = NEVER_SENT.has(code) || error instanceof errors.ConnectTimeoutError;
      return isUnsent
        ? { kind: 'unavailable', code: 'connection_failed', message: `The gateway cannot be reached (${code}).` }
        : { kind: 'unknown', code: 'connection_broken', message: 'The connection to the gateway broke off.' };
    }
  }

  reportsOf({ url, headers, body }: ReportRequest): readonly Report[] {
    const report = this.receiptOf({ headers, body: body.toString('utf8'), query: new URL(url).search.slice(1) });
    return report ? [report] : [];
  }

  /** Reads a receipt; null: it says nothing that is mapped. */
  receiptOf(said: Said): Report | null {
    const { receipt } = this.#config;
    if (!receipt) return null;
    const word = placeOf(receipt.status)?.(said) ?? '';
    const status = receipt.map[word];
    const attemptId = placeOf(receipt.attemptId)?.(said) ?? null;
    const providerMessageId = placeOf(receipt.messageId)?.(said) ?? attemptId;
    if (status === undefined || providerMessageId === null) return null;
    const isBad = status === 'failed' || status === 'expired';
    const errorCode = isBad ? (placeOf(receipt.errorCode)?.(said) ?? word) : null;
    return { providerMessageId, attemptId, status, errorCode, errorMessage: null };
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  #requestOf(request: SendRequest) {
    const { method, url, query, headers, form, json } = this.#config.request;
    const values: Values = {
      to: request.to,
      from: request.from,
      text: request.text,
      attemptId: request.attemptId,
      receiptsUrl: this.#receiptsUrl,
      ...Object.fromEntries(Object.entries(this.#config.secrets).map(([name, value]) => [`secret.${name}`, value])),
    };
    const target = new URL(fill(url, values, encodeURIComponent));
    for (const [name, value] of Object.entries(query ?? {})) target.searchParams.append(name, fill(value, values));
    const own = Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), fill(value, values, inHeader)]),
    );
    const type = json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
    const filled = Object.fromEntries(Object.entries(form ?? {}).map(([name, value]) => [name, fill(value, values)]));
    const body =
      json !== undefined
        ? JSON.stringify(fillJson(json, values))
        : form
          ? new URLSearchParams(filled).toString()
          : null;
    return { url: target, method, headers: { ...(body === null ? {} : { 'content-type': type }), ...own }, body };
  }

  #judge({ attemptId }: SendRequest, status: number, said: Said): SendOutcome {
    const { accepted, throttled, rejected } = this.#config;
    const fits = (rule: Rule | undefined): boolean => rule !== undefined && fitsRule(rule, status, said.body);
    if (fits(accepted)) return { kind: 'accepted', providerMessageId: this.#messageId?.(said) ?? attemptId };
    const told = { code: `http_${status}`, message: this.#words(status, said.body) };
    if (fits(throttled)) return { kind: 'throttled', ...told, retryAfterMs: retryAfterMs(said) };
    if (OWN_FAULTS.has(status)) return { kind: 'rejected', ...told, isOwn: true };
    if (fits(rejected)) return { kind: 'rejected', ...told };
    return status >= 500 ? { kind: 'unavailable', ...told } : { kind: 'rejected', ...told };
  }

  /** What the gateway said, without our secrets, which it may repeat. */
  #words(status: number, body: string): string {
    let words = body.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
    for (const secret of Object.values(this.#config.secrets))
      if (secret) words = words.replaceAll(secret, '[redacted]');
    return words === '' ? `The gateway answered ${status}.` : words;
  }
}

function fitsRule({ status, body }: Rule, code: number, text: string): boolean {
  const pattern = body === undefined ? null : readPattern(body);
  return (status === undefined || status.includes(code)) && (!(pattern instanceof RegExp) || pattern.test(text));
}

function placeOf(text: string | undefined): Place | null {
  const place = text === undefined ? 'absent' : readPlace(text);
  return typeof place === 'string' ? null : place;
}

/** A value as a header may hold it. */
function inHeader(value: string): string {
  return value.replaceAll(/[^\t\x20-\x7e]/g, character => encodeURIComponent(character));
}

function retryAfterMs({ headers }: Said): number {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : THROTTLED_MS;
}

async function read(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.byteLength;
    if (size >= BODY_BYTES_MAX) break;
  }
  return Buffer.concat(pieces).subarray(0, BODY_BYTES_MAX).toString('utf8');
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no code';
}
