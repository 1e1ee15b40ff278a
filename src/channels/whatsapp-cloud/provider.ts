/** The provider `whatsapp-cloud`: WhatsApp by the cloud API of Meta (its Graph API). */
import { z } from 'zod';
import type { Callback, Probed, ProviderDefinition, ReportRequest, SendRequest } from '../contract.ts';
import { readAs, unreadable } from '../http/answer.ts';
import { readBaseUrl } from '../http/base-url.ts';
import { type Answer, ProviderClient, type ProviderRequest } from '../http/client.ts';
import { type Dialect, httpProvider, notTheApi, probeHttp } from '../http/provider.ts';
import type { SendOutcome } from '../outcome.ts';
import type { Quota } from '../quota.ts';
import { newsOf } from './callback.ts';
import { type WhatsAppConfig, whatsAppConfig } from './config.ts';
import { digitsOf } from './digits.ts';
import { isRefusedToken, isUnknownObject, refusalOf } from './errors.ts';
import { bodyOf } from './message.ts';
import { challengeOf, isSignedByMeta } from './signature.ts';
import { cloudTemplates } from './templates.ts';

/** A message that was taken, as far as it is read. */
const taken = z.object({ messages: z.tuple([z.object({ id: z.string().min(1).max(255) })], z.unknown()) });

/** A number, as far as it is read. */
const number = z.object({
  display_phone_number: z.string(),
  verified_name: z.string().catch(''),
  quality_rating: z.string().catch(''),
  whatsapp_business_manager_messaging_limit: z.string().catch(''),
});

/** A business account, as far as it is read: the portfolio that owns it. */
const account = z.object({ owner_business_info: z.object({ id: z.string() }) });

const QUALITIES: ReadonlyMap<string, Quota['quality']> = new Map([
  ['GREEN', 'green'],
  ['YELLOW', 'yellow'],
  ['RED', 'red'],
]);

/** A limit without an end. */
const UNLIMITED = 'TIER_UNLIMITED';

/** The fields of a number that a try asks for. */
const NUMBER_FIELDS = Object.keys(number.shape).join();

/** WhatsApp Cloud, in the registry. */
export const whatsAppCloud: ProviderDefinition<WhatsAppConfig> = {
  id: 'whatsapp-cloud',
  label: 'WhatsApp Cloud',
  capabilities: { channels: ['chat_cloud'], receipts: 'http' },
  configSchema: whatsAppConfig,
  create(config, { userAgent }) {
    const dialect = new WhatsApp(config);
    return {
      ...httpProvider(whatsAppCloud, userAgent, dialect),
      numberId: config.phoneNumberId,
      perSecond: config.throughput,
      quota: signal => quotaBy(dialect, config, userAgent, signal),
      ...(config.businessAccountId !== undefined && { businessId: config.businessAccountId }),
      signs: request => isSignedByMeta(config.appSecret, request),
      callbackOf: request => dialect.callbackOf(request),
      ...cloudTemplates(config, userAgent),
    };
  },
  probe: (config, { userAgent }, signal) => probeHttp(new WhatsApp(config), userAgent, signal),
};

class WhatsApp implements Dialect {
  readonly #config: WhatsAppConfig;
  readonly #origin: string;
  readonly #root: string;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(config: WhatsAppConfig) {
    const { origin, prefix } = readBaseUrl(config.baseUrl);
    this.#config = config;
    this.#origin = origin;
    this.#root = `${prefix}/${config.version}`;
    this.#path = `${this.#root}/${config.phoneNumberId}`;
    this.#headers = {
      authorization: `Bearer ${config.accessToken}`,
      'content-type': 'application/json',
      accept: 'application/json',
    };
  }

  requestOf(request: SendRequest): ProviderRequest {
    return {
      method: 'POST',
      origin: this.#origin,
      path: `${this.#path}/messages`,
      headers: this.#headers,
      body: bodyOf(request),
    };
  }

  judge(request: SendRequest, answer: Answer): SendOutcome {
    const { accessToken, appSecret, verifyToken } = this.#config;
    if (answer.status >= 300) return refusalOf(request, answer, [accessToken, appSecret, verifyToken]);
    const message = readAs(taken, answer)?.messages[0];
    return message ? { kind: 'accepted', providerMessageId: message.id } : unreadable(answer, 'a message');
  }

  /** Its number, which the access token opens. */
  probeOf(): ProviderRequest {
    const path = `${this.#path}?fields=${NUMBER_FIELDS}`;
    return { method: 'GET', origin: this.#origin, path, headers: this.#headers, body: null };
  }

  /** The portfolio of the business account, which the token may read with `whatsapp_business_management`. */
  portfolioOf(businessAccountId: string): ProviderRequest {
    const path = `${this.#root}/${businessAccountId}?fields=owner_business_info`;
    return { ...this.probeOf(), path };
  }

  judgeProbe(answer: Answer): Probed {
    if (isRefusedToken(answer))
      return {
        result: 'refused',
        field: 'accessToken',
        message: 'Meta does not accept this access token. Check its rights, or make a new one.',
      };
    const known = answer.status === 200 ? readAs(number, answer) : null;
    if (known) return { result: 'works', message: describe(known) };
    return isUnknownObject(answer)
      ? {
          result: 'refused',
          field: 'phoneNumberId',
          message: 'Meta does not know this phone number ID for this access token. Check both.',
        }
      : notTheApi(answer, "Meta's Graph API");
  }

  callbackOf(request: ReportRequest): Callback | 'forged' {
    const { verifyToken, appSecret } = this.#config;
    const challenge = challengeOf(verifyToken, request);
    if (challenge !== null) return { answer: challenge, news: [] };
    return isSignedByMeta(appSecret, request) ? { news: newsOf(request.body) } : 'forged';
  }
}

/** Asks for the limits of a number, and whose they are, over a connection of its own. */
async function quotaBy(
  dialect: WhatsApp,
  { businessAccountId }: WhatsAppConfig,
  userAgent: string,
  signal: AbortSignal,
): Promise<Quota | null> {
  const client = new ProviderClient(userAgent);
  const ask = async <T>(request: ProviderRequest, schema: z.ZodType<T>): Promise<T | null> => {
    const answer = await client.ask(request, signal);
    return 'kind' in answer || answer.status !== 200 ? null : readAs(schema, answer);
  };
  try {
    const known = await ask(dialect.probeOf(), number);
    if (!known || businessAccountId === undefined) return known && { ...quotaOf(known), businesses: [] };
    const owned = await ask(dialect.portfolioOf(businessAccountId), account);
    // The numbers of one account are of one portfolio, also where its id is not told.
    const portfolio = owned ? [owned.owner_business_info.id] : [];
    return { ...quotaOf(known), businesses: [businessAccountId, ...portfolio] };
  } finally {
    await client.close();
  }
}

/** The limits of a number: `GREEN`, and `TIER_2K` for 2,000 people. */
function quotaOf(told: z.output<typeof number>): Omit<Quota, 'businesses'> {
  const quality = QUALITIES.get(told.quality_rating) ?? null;
  const [, count, thousands] = /^TIER_([0-9]{1,6})(K)?$/.exec(told.whatsapp_business_manager_messaging_limit) ?? [];
  return {
    number: digitsOf(told.display_phone_number),
    quality,
    reach: count === undefined ? null : Number(count) * (thousands ? 1_000 : 1),
  };
}

/** A number in sentences. */
function describe(told: z.output<typeof number>): string {
  const { display_phone_number, verified_name, whatsapp_business_manager_messaging_limit: limit } = told;
  const { quality, reach } = quotaOf(told);
  const people = reach === null ? 'any number of people' : `${reach.toLocaleString('en-US')} people`;
  const sentences = [
    `Meta knows the number ${display_phone_number}${verified_name === '' ? '' : `, ${verified_name}`}.`,
    ...(quality === null ? [] : [`Its quality is ${quality}.`]),
    ...(reach === null && limit !== UNLIMITED ? [] : [`The business may write first to ${people} within 24 hours.`]),
  ];
  return sentences.join(' ');
}
