/** The provider `vonage`: Vonage's SMS API, which answers 200 whatever became of a message. */
import { z } from 'zod';
import { gatewayTime } from '../../kernel/process/gateway-time.ts';
import { countSegments } from '../../kernel/segments.ts';
import type { Inbound, Probed, ProviderDefinition, Report, ReportRequest, SendRequest } from '../contract.ts';
import { readAs, refusedAs, serverError, tellable, unreadable } from '../http/answer.ts';
import type { Answer } from '../http/client.ts';
import { bodyParams } from '../http/params.ts';
import { askerBy, type Dialect, formPoster, httpProvider, notTheApi, probeHttp } from '../http/provider.ts';
import type { SendOutcome } from '../outcome.ts';
import { classOf, statusOf } from './codes.ts';
import { type VonageConfig, vonageConfig } from './config.ts';
import { isSignedByParameter, isSignedByToken } from './signature.ts';

/** The bounds of `ttl`, in milliseconds: 20 s and seven days. */
const TTL_MS_MIN = 20_000;
const TTL_MS_MAX = 604_800_000;

/** No text has more parts: their number is a byte. */
const PARTS_MAX = 255;

/** One part of a message, as it was taken or refused. */
const part = z.object({
  status: z.union([z.string(), z.number()]).transform(String),
  'message-id': z.string().max(255).catch(''),
  'error-text': z.string().catch(''),
});

const reply = z.object({ messages: z.array(part).min(1) });

/** A balance, as far as it is read. */
const balance = z.object({ value: z.number() });

type Part = z.output<typeof part>;

/** Vonage, in the registry. */
export const vonage: ProviderDefinition<VonageConfig> = {
  id: 'vonage',
  label: 'Vonage',
  capabilities: { channels: ['sms'], receipts: 'http', parts: true },
  configSchema: vonageConfig,
  create: (config, { receiptsUrl, userAgent }) => httpProvider(vonage, userAgent, new Vonage(config, receiptsUrl)),
  probe: (config, { userAgent }, signal) => probeHttp(new Vonage(config, ''), userAgent, signal),
};

class Vonage implements Dialect {
  readonly #config: VonageConfig;
  readonly #receiptsUrl: string;
  readonly #post: ReturnType<typeof formPoster>;

  constructor(config: VonageConfig, receiptsUrl: string) {
    this.#config = config;
    this.#receiptsUrl = receiptsUrl;
    this.#post = formPoster(config.baseUrl, '/sms/json');
  }

  requestOf({ attemptId, to, from, text, validitySeconds }: SendRequest) {
    const { apiKey, apiSecret } = this.#config;
    return this.#post({
      api_key: apiKey,
      api_secret: apiSecret,
      from,
      to,
      text,
      ...(countSegments(text).encoding === 'ucs2' ? { type: 'unicode' } : {}),
      'client-ref': attemptId,
      callback: this.#receiptsUrl,
      ...(validitySeconds === null ? {} : { ttl: String(ttlOf(validitySeconds)) }),
    });
  }

  /** The balance of the account, which the key opens. */
  probeOf() {
    const { baseUrl, apiKey, apiSecret } = this.#config;
    return askerBy(baseUrl, '/account/get-balance', `${apiKey}:${apiSecret}`);
  }

  judgeProbe(answer: Answer): Probed {
    if (answer.status === 401)
      return { result: 'refused', message: 'Vonage does not know this API key with this API secret. Check both.' };
    const known = answer.status === 200 && readAs(balance, answer) !== null;
    return known ? { result: 'works', message: 'Vonage knows the key.' } : notTheApi(answer, "Vonage's API");
  }

  reportsOf(request: ReportRequest): readonly Report[] | 'forged' {
    const params = paramsOf(request);
    if (!this.#isGenuine(request, params)) return 'forged';
    const providerMessageId = params.get('messageId') ?? '';
    const status = statusOf(params.get('status') ?? '');
    if (providerMessageId === '' || status === null) return [];
    const isBad = status === 'failed' || status === 'expired';
    const code = params.get('err-code') ?? '';
    const errorCode = isBad ? `vonage_dlr_${/^[0-9]{1,5}$/.test(code) ? code : '0'}` : null;
    return [{ providerMessageId, attemptId: params.get('client-ref') || null, status, errorCode, errorMessage: null }];
  }

  inboundOf(request: ReportRequest): readonly Inbound[] | 'forged' {
    const params = paramsOf(request);
    if (!this.#isGenuine(request, params)) return 'forged';
    const [providerMessageId, from, to] = ['messageId', 'msisdn', 'to'].map(name => params.get(name) ?? '');
    if (!providerMessageId || !from || !to) return [];
    const text = params.get('text');
    // Without a text there are bytes; without those it is a receipt, at the wrong address.
    if (text === null && !params.has('data')) return [];
    const type = text === null ? 'binary' : 'text';
    const part = partOf(params);
    return [{ providerMessageId, from, to, type, text, ...(part && { part }) }];
  }

  /** Without a signature secret the address, which nobody can guess, is the proof. */
  #isGenuine({ method, headers, body }: ReportRequest, params: URLSearchParams): boolean {
    const { signatureSecret } = this.#config;
    if (signatureSecret === undefined) return true;
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    // A token signs a body: it says nothing about a query.
    return token !== undefined && method === 'POST'
      ? isSignedByToken(signatureSecret, token, body, gatewayTime().getTime() / 1_000)
      : isSignedByParameter(signatureSecret, params);
  }

  judge(request: SendRequest, answer: Answer): SendOutcome {
    const { status } = answer;
    const named = { code: `http_${status}`, message: `The provider answered ${status}.` };
    if (status >= 500) return serverError(answer);
    if (status >= 300) return refusedAs(status === 429 ? 'throttled' : 'own', named, answer);
    const parts = readAs(reply, answer)?.messages;
    if (!parts) return unreadable(answer, 'messages');
    const refused = parts.find(one => one.status !== '0');
    if (!refused) return acceptedAs(request, parts);
    if (parts.every(one => one.status !== '0')) return this.#refusal(request, answer, refused);
    // Something has left: it must not be sent again here, and the phone may show nothing, or a piece. So it is not accepted, which would end
    // the search for a way, nor refused, which would ask another connection for the same channel. Nor do receipts of the other parts deliver it.
    const message = `Vonage took only some of the ${parts.length} parts.`;
    const partIds = parts.map((one, index) => one['message-id'] || `${request.attemptId}.${index + 1}`);
    return { kind: 'unknown', code: 'vonage_partial', message, partIds };
  }

  #refusal(request: SendRequest, answer: Answer, { status, 'error-text': text }: Part): SendOutcome {
    const { apiKey, apiSecret, signatureSecret = '' } = this.#config;
    const words = tellable(text, [apiSecret, signatureSecret, apiKey], request);
    const code = `vonage_${/^\w{1,32}$/.test(status) ? status : 'unknown'}`;
    const named = { code, message: words === '' ? `Vonage refused the message (${code}).` : words };
    return refusedAs(classOf(status), named, answer);
  }
}

/** By the ids of its parts; a receipt without one known is understood by the attempt, which Vonage repeats. */
function acceptedAs({ attemptId }: SendRequest, parts: readonly Part[]): SendOutcome {
  const partIds = parts.map(one => one['message-id']).filter(id => id !== '');
  const providerMessageId = partIds[0] ?? attemptId;
  return { kind: 'accepted', providerMessageId, ...(parts.length > 1 && partIds.length > 0 ? { partIds } : {}) };
}

/** Vonage posts, or asks, as the account is set. */
function paramsOf(request: ReportRequest): URLSearchParams {
  return request.method === 'GET' ? new URL(request.url).searchParams : bodyParams(request);
}

/** The part of a long text, which Vonage brings one by one; null: it is whole. */
function partOf(params: URLSearchParams): Inbound['part'] | null {
  const reference = params.get('concat-ref') ?? '';
  const [total, number] = [Number(params.get('concat-total')), Number(params.get('concat-part'))];
  const isPart = reference !== '' && total >= 2 && total <= PARTS_MAX && number >= 1 && number <= total;
  return isPart && Number.isInteger(total) && Number.isInteger(number) ? { reference, total, number } : null;
}

function ttlOf(seconds: number): number {
  return Math.min(TTL_MS_MAX, Math.max(TTL_MS_MIN, Math.floor(seconds * 1_000)));
}
