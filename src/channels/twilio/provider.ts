/** The provider `twilio`: Twilio's messages API, version 2010-04-01. */
import { z } from 'zod';
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
import { type TwilioConfig, twilioConfig } from './config.ts';
import { isSignedByTwilio } from './signature.ts';

/** The longest `ValidityPeriod`, in seconds. */
const VALIDITY_SECONDS_MAX = 36_000;

/** The longest short code; a number of more digits is an international one. */
const SHORT_CODE_DIGITS_MAX = 8;

/** What is read of a message that was created. */
const created = z.object({
  sid: z.string().min(1).max(64),
  status: z.string(),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
});

/** What is read of an error. */
const refused = z.object({ code: z.number(), message: z.string().catch('') });

const capabilities = { channels: ['sms'], receipts: true } as const;

/** Twilio, in the registry. */
export const twilio: ProviderDefinition<TwilioConfig> = {
  id: 'twilio',
  label: 'Twilio',
  capabilities,
  configSchema: twilioConfig,
  create: (config, services) => new Twilio(config, services),
};

class Twilio implements Provider {
  readonly id = twilio.id;
  readonly capabilities = capabilities;
  readonly #config: TwilioConfig;
  readonly #receiptsUrl: string;
  readonly #client: ProviderClient;
  readonly #origin: string;
  readonly #path: string;
  readonly #basic: string;

  constructor(config: TwilioConfig, { receiptsUrl, userAgent }: ConnectionServices) {
    const { accountSid, authToken } = config;
    const { origin, prefix } = readBaseUrl(config.baseUrl);
    this.#config = config;
    this.#receiptsUrl = receiptsUrl;
    this.#client = new ProviderClient(userAgent);
    this.#origin = origin;
    this.#path = `${prefix}/2010-04-01/Accounts/${accountSid}/Messages.json`;
    this.#basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
  }

  async send(request: SendRequest, signal: AbortSignal): Promise<SendOutcome> {
    const answer = await this.#client.ask(
      {
        method: 'POST',
        origin: this.#origin,
        path: this.#path,
        headers: {
          authorization: `Basic ${this.#basic}`,
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: new URLSearchParams(this.#fieldsOf(request)).toString(),
      },
      signal,
    );
    return 'kind' in answer ? answer : this.#judge(request, answer);
  }

  reportsOf(request: ReportRequest): readonly Report[] | 'forged' {
    if (!isSignedByTwilio(this.#config.authToken, request)) return 'forged';
    const params = bodyParams(request);
    const providerMessageId = params.get('MessageSid') ?? '';
    const code = params.get('ErrorCode') ?? '';
    const status = statusOf(params.get('MessageStatus') ?? '', code);
    if (providerMessageId === '' || status === null) return [];
    // The address is signed too.
    const attemptId = new URL(request.url).searchParams.get('attempt');
    const errorCode = code === '' ? null : `twilio_${code.slice(0, 16)}`;
    return [{ providerMessageId, attemptId, status, errorCode, errorMessage: null }];
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #fieldsOf({ attemptId, to, from, text, validitySeconds }: SendRequest): Record<string, string> {
    const { messagingServiceSid } = this.#config;
    return {
      To: `+${to}`,
      ...(messagingServiceSid === undefined ? { From: senderOf(from) } : { MessagingServiceSid: messagingServiceSid }),
      Body: text,
      // Receipts name Twilio's own id alone; by the attempt one is understood whose answer was lost.
      StatusCallback: `${this.#receiptsUrl}?attempt=${attemptId}`,
      ...(validitySeconds === null ? {} : { ValidityPeriod: String(validityOf(validitySeconds)) }),
    };
  }

  #judge(request: SendRequest, answer: Answer): SendOutcome {
    const { status } = answer;
    if (status < 300) {
      const message = readAs(created, answer);
      // Something was created, as it seems; nobody knows what.
      if (!message)
        return {
          kind: 'unknown',
          code: 'answer_unreadable',
          message: `The provider answered ${status} without a message.`,
        };
      if (message.status !== 'failed' && message.status !== 'undelivered')
        return { kind: 'accepted', providerMessageId: message.sid };
      return this.#refusal(request, answer, { code: message.error_code ?? 0, message: message.error_message ?? '' });
    }
    if (status >= 500) return serverError(answer);
    return this.#refusal(request, answer, readAs(refused, answer) ?? { code: 0, message: '' });
  }

  /** @param told Twilio's error; its code is 0 where it told none */
  #refusal(request: SendRequest, answer: Answer, told: z.output<typeof refused>): SendOutcome {
    const { accountSid, authToken } = this.#config;
    const words = tellable(told.message, [authToken, this.#basic, accountSid, request.text, request.to]);
    const named = {
      code: told.code === 0 ? `http_${answer.status}` : `twilio_${told.code}`,
      message: words === '' ? `Twilio refused the message (${told.code === 0 ? answer.status : told.code}).` : words,
    };
    const what = answer.status === 429 ? 'throttled' : classOf(told.code);
    if (what === 'throttled') return { kind: 'throttled', ...named, retryAfterMs: retryAfterMs(answer) };
    return { kind: 'rejected', ...named, ...(what === 'own' ? { isOwn: true } : {}) };
  }
}

/** A sender as Twilio wants it: international numbers with +, names and short codes as they are. */
function senderOf(from: string): string {
  return /^[0-9]+$/.test(from) && from.length > SHORT_CODE_DIGITS_MAX ? `+${from}` : from;
}

function validityOf(seconds: number): number {
  return Math.min(VALIDITY_SECONDS_MAX, Math.max(1, Math.floor(seconds)));
}
