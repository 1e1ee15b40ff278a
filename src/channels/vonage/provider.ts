/** The provider `vonage`: Vonage's SMS API, which answers 200 whatever became of a message. */
import { z } from 'zod';
import { countSegments } from '../../kernel/segments.ts';
import type {
  ConnectionServices,
  Provider,
  ProviderDefinition,
  Report,
  ReportRequest,
  SendOutcome,
  SendRequest,
} from '../contract.ts';
import { readAs, retryAfterMs, serverError, tellable } from '../http/answer.ts';
import { readBaseUrl } from '../http/base-url.ts';
import { type Answer, ProviderClient } from '../http/client.ts';
import { bodyParams } from '../http/params.ts';
import { classOf, statusOf } from './codes.ts';
import { type VonageConfig, vonageConfig } from './config.ts';
import { isSignedByParameter, isSignedByToken } from './signature.ts';

/** The bounds of `ttl`, in milliseconds: 20 s and seven days. */
const TTL_MS_MIN = 20_000;
const TTL_MS_MAX = 604_800_000;

/** One part of a message, as it was taken or refused. */
const part = z.object({
  status: z.union([z.string(), z.number()]).transform(String),
  'message-id': z.string().max(255).catch(''),
  'error-text': z.string().catch(''),
});

const reply = z.object({ messages: z.array(part).min(1) });

type Part = z.output<typeof part>;

const capabilities = { channels: ['sms'], receipts: true, parts: true } as const;

/** Vonage, in the registry. */
export const vonage: ProviderDefinition<VonageConfig> = {
  id: 'vonage',
  label: 'Vonage',
  capabilities,
  configSchema: vonageConfig,
  create: (config, services) => new Vonage(config, services),
};

class Vonage implements Provider {
  readonly id = vonage.id;
  readonly capabilities = capabilities;
  readonly #config: VonageConfig;
  readonly #receiptsUrl: string;
  readonly #client: ProviderClient;
  readonly #origin: string;
  readonly #path: string;

  constructor(config: VonageConfig, { receiptsUrl, userAgent }: ConnectionServices) {
    const { origin, prefix } = readBaseUrl(config.baseUrl);
    this.#config = config;
    this.#receiptsUrl = receiptsUrl;
    this.#client = new ProviderClient(userAgent);
    this.#origin = origin;
    this.#path = `${prefix}/sms/json`;
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const answer = await this.#client.ask(
      {
        method: 'POST',
        origin: this.#origin,
        path: this.#path,
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
        body: new URLSearchParams(this.#fieldsOf(request)).toString(),
      },
      signal,
    );
    return 'kind' in answer ? answer : this.#judge(request, answer);
  }

  reportsOf(request: ReportRequest): readonly Report[] | 'forged' {
    const params = request.method === 'GET' ? new URL(request.url).searchParams : bodyParams(request);
    if (!this.#isGenuine(request, params)) return 'forged';
    const providerMessageId = params.get('messageId') ?? '';
    const status = statusOf(params.get('status') ?? '');
    if (providerMessageId === '' || status === null) return [];
    const isBad = status === 'failed' || status === 'expired';
    const code = params.get('err-code') || '0';
    const errorCode = isBad ? `vonage_dlr_${code.slice(0, 16)}` : null;
    return [{ providerMessageId, attemptId: params.get('client-ref') || null, status, errorCode, errorMessage: null }];
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Without a signature secret the address, which nobody can guess, is the proof. */
  #isGenuine({ method, headers, body }: ReportRequest, params: URLSearchParams): boolean {
    const { signatureSecret } = this.#config;
    if (signatureSecret === undefined) return true;
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    // A token signs a body: it says nothing about a query.
    return token !== undefined && method === 'POST'
      ? isSignedByToken(signatureSecret, token, body, Date.now() / 1_000)
      : isSignedByParameter(signatureSecret, params);
  }

  #fieldsOf({ attemptId, to, from, text, validitySeconds }: SendRequest): Record<string, string> {
    const { apiKey, apiSecret } = this.#config;
    return {
      api_key: apiKey,
      api_secret: apiSecret,
      from,
      to,
      text,
      ...(countSegments(text).encoding === 'ucs2' ? { type: 'unicode' } : {}),
      'client-ref': attemptId,
      callback: this.#receiptsUrl,
      ...(validitySeconds === null ? {} : { ttl: String(ttlOf(validitySeconds)) }),
    };
  }

  #judge(request: SendRequest, answer: Answer): SendOutcome {
    const { status } = answer;
    const named = { code: `http_${status}`, message: `The provider answered ${status}.` };
    if (status === 429) return { kind: 'throttled', ...named, retryAfterMs: retryAfterMs(answer) };
    if (status >= 500) return serverError(answer);
    if (status >= 300) return { kind: 'rejected', ...named, isOwn: true };
    const parts = readAs(reply, answer)?.messages;
    if (!parts)
      return {
        kind: 'unknown',
        code: 'answer_unreadable',
        message: `The provider answered ${status} without messages.`,
      };
    const refused = parts.find(one => one.status !== '0');
    if (!refused) return acceptedAs(request, parts);
    if (parts.every(one => one.status !== '0')) return this.#refusal(request, answer, refused);
    // Something has left: it must not be sent again here, and the phone may show nothing, or a piece. So it is not accepted, which would end
    // the search for a way, nor refused, which would ask another connection for the same channel.
    return { kind: 'unknown', code: 'vonage_partial', message: `Vonage took only some of the ${parts.length} parts.` };
  }

  #refusal(request: SendRequest, answer: Answer, { status, 'error-text': text }: Part): SendOutcome {
    const { apiKey, apiSecret, signatureSecret = '' } = this.#config;
    const words = tellable(text, [apiSecret, signatureSecret, apiKey, request.text, request.to]);
    const code = `vonage_${/^\w{1,32}$/.test(status) ? status : 'unknown'}`;
    const named = { code, message: words === '' ? `Vonage refused the message (${code}).` : words };
    const what = classOf(status);
    if (what === 'throttled') return { kind: 'throttled', ...named, retryAfterMs: retryAfterMs(answer) };
    if (what === 'down') return { kind: 'unavailable', ...named };
    return { kind: 'rejected', ...named, ...(what === 'own' ? { isOwn: true } : {}) };
  }
}

/** By the ids of its parts; a receipt without one known is understood by the attempt, which Vonage repeats. */
function acceptedAs({ attemptId }: SendRequest, parts: readonly Part[]): SendOutcome {
  const partIds = parts.map(one => one['message-id']).filter(id => id !== '');
  const providerMessageId = partIds[0] ?? attemptId;
  return { kind: 'accepted', providerMessageId, ...(parts.length > 1 && partIds.length > 0 ? { partIds } : {}) };
}

function ttlOf(seconds: number): number {
  return Math.min(TTL_MS_MAX, Math.max(TTL_MS_MIN, Math.floor(seconds * 1_000)));
}
