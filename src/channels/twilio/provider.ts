/** The provider `twilio`: Twilio's messages API, version 2010-04-01. */
import { z } from 'zod';
import type { Inbound, Probed, ProviderDefinition, Report, ReportRequest, SendRequest } from '../contract.ts';
import { readAs, refusedAs, serverError, tellable, unreadable } from '../http/answer.ts';
import type { Answer } from '../http/client.ts';
import { bodyParams } from '../http/params.ts';
import { askerBy, type Dialect, formPoster, httpProvider, notTheApi, probeHttp } from '../http/provider.ts';
import type { SendOutcome } from '../outcome.ts';
import { classOf, statusOf } from './codes.ts';
import { type TwilioConfig, twilioConfig } from './config.ts';
import { isSignedByTwilio } from './signature.ts';

/** The longest `ValidityPeriod`, in seconds. */
const VALIDITY_SECONDS_MAX = 36_000;

/** The longest short code; a number of more digits is an international one. */
const SHORT_CODE_DIGITS_MAX = 8;

/** The words of Advanced Opt-Out, as Twilio calls them. */
const OPT_OUT_TYPES = ['STOP', 'START', 'HELP'] as const;

/** A message that was created, as far as it is read. */
const created = z.object({
  sid: z.string().min(1).max(64),
  status: z.string(),
  error_code: z.number().nullish(),
  error_message: z.string().nullish(),
});

/** An account, as far as it is read. */
const account = z.object({ sid: z.string(), status: z.enum(['active', 'suspended', 'closed']) });

/** An error, as far as it is read. */
const refused = z.object({ code: z.number(), message: z.string().catch('') });

/** Twilio, in the registry. */
export const twilio: ProviderDefinition<TwilioConfig> = {
  id: 'twilio',
  label: 'Twilio',
  capabilities: { channels: ['sms'], receipts: 'http' },
  configSchema: twilioConfig,
  create: (config, { receiptsUrl, userAgent }) => httpProvider(twilio, userAgent, new Twilio(config, receiptsUrl)),
  probe: (config, { userAgent }, signal) => probeHttp(new Twilio(config, ''), userAgent, signal),
};

class Twilio implements Dialect {
  readonly #config: TwilioConfig;
  readonly #receiptsUrl: string;
  readonly #basic: string;
  readonly #post: ReturnType<typeof formPoster>;

  constructor(config: TwilioConfig, receiptsUrl: string) {
    const { accountSid, authToken, baseUrl } = config;
    this.#config = config;
    this.#receiptsUrl = receiptsUrl;
    this.#basic = Buffer.from(`${accountSid}:${authToken}`).toString('base64');
    const path = `/2010-04-01/Accounts/${accountSid}/Messages.json`;
    this.#post = formPoster(baseUrl, path, { authorization: `Basic ${this.#basic}` });
  }

  requestOf({ attemptId, to, from, text, validitySeconds }: SendRequest) {
    const { messagingServiceSid } = this.#config;
    return this.#post({
      To: `+${to}`,
      ...(messagingServiceSid === undefined ? { From: senderOf(from) } : { MessagingServiceSid: messagingServiceSid }),
      Body: text,
      // Receipts name Twilio's own id alone; by the attempt one is understood whose answer was lost.
      StatusCallback: `${this.#receiptsUrl}?attempt=${attemptId}`,
      ...(validitySeconds === null ? {} : { ValidityPeriod: String(validityOf(validitySeconds)) }),
    });
  }

  /** Its own account, which the credentials open. */
  probeOf() {
    const { baseUrl, accountSid, authToken } = this.#config;
    return askerBy(baseUrl, `/2010-04-01/Accounts/${accountSid}.json`, `${accountSid}:${authToken}`);
  }

  judgeProbe(answer: Answer): Probed {
    if (answer.status === 401 || answer.status === 404)
      return { result: 'refused', message: 'Twilio does not know this account SID with this auth token. Check both.' };
    const known = answer.status === 200 ? readAs(account, answer) : null;
    if (!known) return notTheApi(answer, "Twilio's API");
    if (known.status === 'active') return { result: 'works', message: 'Twilio knows the account, and it is active.' };
    return { result: 'refused', message: `Twilio says that the account is ${known.status}. See its console.` };
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
    const errorCode = /^[0-9]{1,10}$/.test(code) ? `twilio_${code}` : null;
    return [{ providerMessageId, attemptId, status, errorCode, errorMessage: null }];
  }

  inboundOf(request: ReportRequest): readonly Inbound[] | 'forged' {
    if (!isSignedByTwilio(this.#config.authToken, request)) return 'forged';
    const params = request.method === 'GET' ? new URL(request.url).searchParams : bodyParams(request);
    const [providerMessageId, from, to] = ['MessageSid', 'From', 'To'].map(name => params.get(name) ?? '');
    if (!providerMessageId || !from || !to) return [];
    const text = params.get('Body') ?? '';
    const type = typeOf(params);
    const told = { providerMessageId, from, to, type, text: type !== 'text' && text === '' ? null : text };
    const word = params.get('OptOutType');
    if (!word) return [told];
    // Advanced Opt-Out has words and answers of its own, which are set at Twilio.
    const takenFor = OPT_OUT_TYPES.find(type => type === word);
    return [{ ...told, isAnswered: true, ...(takenFor && { takenFor }) }];
  }

  judge(request: SendRequest, answer: Answer): SendOutcome {
    const { status } = answer;
    if (status < 300) {
      const message = readAs(created, answer);
      if (!message) return unreadable(answer, 'a message');
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
    const words = tellable(told.message, [authToken, this.#basic, accountSid], request);
    const named = {
      code: told.code === 0 ? `http_${answer.status}` : `twilio_${told.code}`,
      message: words === '' ? `Twilio refused the message (${told.code === 0 ? answer.status : told.code}).` : words,
    };
    return refusedAs(answer.status === 429 ? 'throttled' : classOf(told.code), named, answer);
  }
}

/** The kind of a message: `text`, or that of the first of its media. */
function typeOf(params: URLSearchParams): string {
  if (!/^[1-9]/.test(params.get('NumMedia') ?? '')) return 'text';
  const [, kind = 'file'] = /^(image|audio|video)\//.exec(params.get('MediaContentType0') ?? '') ?? [];
  return kind;
}

/** A sender as Twilio wants it: international numbers with +, names and short codes as they are. */
function senderOf(from: string): string {
  return /^[0-9]+$/.test(from) && from.length > SHORT_CODE_DIGITS_MAX ? `+${from}` : from;
}

function validityOf(seconds: number): number {
  return Math.min(VALIDITY_SECONDS_MAX, Math.max(1, Math.floor(seconds)));
}
