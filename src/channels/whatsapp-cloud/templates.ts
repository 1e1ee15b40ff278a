/** The templates of a WhatsApp business account: listed, and made for codes, by the `message_templates` of Meta's Graph API. */
import { z } from 'zod';
import type { ListedTemplate, OtpTemplateDraft, Probed, Provider, Templates } from '../contract.ts';
import { unreachable } from '../faults.ts';
import { readAs, tellable } from '../http/answer.ts';
import { readBaseUrl } from '../http/base-url.ts';
import { type Answer, ProviderClient, type ProviderRequest } from '../http/client.ts';
import type { WhatsAppConfig } from './config.ts';

/** The fields that are asked for. */
const FIELDS = 'id,name,language,category,status,rejected_reason,components';

/** How many templates a page has: an app may ask 200 times an hour, and an account may have 6,000 templates. */
const PAGE_SIZE = 100;

/** The most pages that are read. */
const PAGES_MAX = 100;

/** The longest page: a template with ten cards has about 20 kB. */
const PAGE_BYTES_MAX = 4_194_304;

/** For how long Meta tries to deliver a code, in seconds, where its text does not say how long it is good. */
const SEND_SECONDS = 600;

/** The error of an access token that is over. */
const TOKEN_CODE = 190;

/** The errors of a token that lacks a right. */
const RIGHTS_CODES: ReadonlySet<number> = new Set([3, 10, 200]);

const RIGHTS_ADVICE = 'Give its system user the right whatsapp_business_management.';

/** The config of `whatsapp-cloud`, as far as templates need it. */
type TemplatesConfig = Pick<WhatsAppConfig, 'baseUrl' | 'version' | 'accessToken' | 'businessAccountId'>;

const listed = z.object({
  name: z.string().min(1),
  language: z.string().min(1),
  category: z.string(),
  status: z.string(),
  rejected_reason: z.string().nullish(),
  components: z.array(z.record(z.string(), z.unknown())).catch([]),
});

const page = z.object({
  data: z.array(z.unknown()),
  paging: z.object({ next: z.string().optional(), cursors: z.object({ after: z.string() }) }).optional(),
});

const made = z.object({ id: z.string(), status: z.string(), category: z.string() });

const refused = z.object({
  error: z.object({
    code: z.number(),
    message: z.string().catch(''),
    error_user_msg: z.string().optional().catch(undefined),
    error_data: z
      .object({ details: z.string().catch('') })
      .optional()
      .catch(undefined),
  }),
});

/** The face of a provider for its templates: none where its config names no account. Each call has connections of its own, which end with it. */
export function cloudTemplates(config: TemplatesConfig, userAgent: string): Pick<Provider, 'templates'> {
  const { businessAccountId } = config;
  if (businessAccountId === undefined) return {};
  const asking = async <T>(ask: (asker: Asker) => Promise<T>): Promise<T> => {
    const asker = new Asker({ ...config, businessAccountId }, userAgent);
    return ask(asker).finally(() => asker.close());
  };
  return {
    templates: {
      list: signal => asking(asker => list(asker, signal)),
      createOtp: (draft, signal) => asking(asker => createOtp(asker, draft, signal)),
    },
  };
}

/** Asks for the templates of one account. */
class Asker {
  readonly #config: Required<TemplatesConfig>;
  readonly #client: ProviderClient;

  constructor(config: TemplatesConfig & { readonly businessAccountId: string }, userAgent: string) {
    this.#config = config;
    this.#client = new ProviderClient(userAgent);
  }

  /** The answer where it is one of the schema; else why there is none. */
  async ask<T>(
    request: Pick<ProviderRequest, 'method' | 'body'> & { readonly search: string },
    schema: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<{ readonly read: T } | Probed> {
    const { baseUrl, version, businessAccountId, accessToken } = this.#config;
    const { origin, prefix } = readBaseUrl(baseUrl);
    const { search, ...rest } = request;
    const path = `${prefix}/${version}/${businessAccountId}/message_templates${search}`;
    const headers = {
      authorization: `Bearer ${accessToken}`,
      accept: 'application/json',
      ...(rest.body === null ? {} : { 'content-type': 'application/json' }),
    };
    let fault: string | null = null;
    const { host, hostname } = new URL(origin);
    const asked = { ...rest, origin, path, headers, answerBytesMax: PAGE_BYTES_MAX };
    const answer = await this.#client.ask(asked, signal, {
      onFault: error => {
        fault = unreachable(error, { host: hostname, authority: host });
      },
    });
    if ('kind' in answer) return { result: 'unreachable', message: fault ?? answer.message };
    const read = answer.status === 200 ? readAs(schema, answer) : null;
    return read === null ? this.#refusalOf(answer) : { read };
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #refusalOf(answer: Answer): Probed {
    const error = readAs(refused, answer)?.error;
    if (!error) return { result: 'unclear', message: `What answers is not the Graph API (${answer.status}).` };
    const said = error.error_user_msg || error.error_data?.details || error.message;
    const words = tellable(said, [this.#config.accessToken], { text: '', to: '' });
    const message = ended(`Meta refused it with its error ${error.code}${words === '' ? '' : `: ${words}`}`);
    if (answer.status === 401 || error.code === TOKEN_CODE)
      return { result: 'refused', message: `${message} Give the connection an access token that is good.` };
    return { result: 'refused', message: RIGHTS_CODES.has(error.code) ? `${message} ${RIGHTS_ADVICE}` : message };
  }
}

async function list(asker: Asker, signal: AbortSignal): ReturnType<Templates['list']> {
  const templates: ListedTemplate[] = [];
  let after: string | undefined;
  for (let count = 0; count < PAGES_MAX; count++) {
    const search = new URLSearchParams({ fields: FIELDS, limit: String(PAGE_SIZE), ...(after && { after }) });
    const answer = await asker.ask({ method: 'GET', search: `?${search}`, body: null }, page, signal);
    if ('result' in answer) return answer;
    const { data, paging } = answer.read;
    templates.push(...data.flatMap(templateOf));
    if (paging?.next === undefined || data.length === 0) return { templates };
    after = paging.cursors.after;
  }
  return { templates };
}

async function createOtp(
  asker: Asker,
  { name, language, codeExpirationMinutes, hasSecurityAdvice }: OtpTemplateDraft,
  signal: AbortSignal,
): ReturnType<Templates['createOtp']> {
  const components = [
    { type: 'BODY', add_security_recommendation: hasSecurityAdvice },
    ...(codeExpirationMinutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: codeExpirationMinutes }]),
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ];
  // A code that is over need not arrive.
  const seconds = Math.min(SEND_SECONDS, (codeExpirationMinutes ?? Number.POSITIVE_INFINITY) * 60);
  const given = { name, language, category: 'AUTHENTICATION', message_send_ttl_seconds: seconds, components };
  const answer = await asker.ask({ method: 'POST', search: '', body: JSON.stringify(given) }, made, signal);
  if ('result' in answer) return answer;
  const { status, category } = answer.read;
  return { template: { name, language, category, status, reason: null, components } };
}

/** None: it has no name, and nobody can send by it. */
function templateOf(given: unknown): ListedTemplate[] {
  const { data } = listed.safeParse(given);
  if (!data) return [];
  const { rejected_reason: reason, ...template } = data;
  return [{ ...template, reason: reason == null || reason === 'NONE' ? null : reason }];
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}
