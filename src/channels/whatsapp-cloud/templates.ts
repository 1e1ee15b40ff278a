/** The templates of a WhatsApp business account: listed, and made for codes, by the `message_templates` of Meta's Graph API. */
import { z } from 'zod';
import type { ListedTemplate, OtpTemplateDraft, Probed, Provider, Templates } from '../contract.ts';
import { readAs, tellable } from '../http/answer.ts';
import { readBaseUrl } from '../http/base-url.ts';
import { type Answer, ProviderClient, type ProviderRequest } from '../http/client.ts';
import { answerOf } from '../http/provider.ts';
import type { WhatsAppConfig } from './config.ts';
import { errorIn } from './errors.ts';

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

/** Asks for the templates of one account. Answers what was read where that is of the schema; else why it is not. */
type Ask = <T>(
  request: Pick<ProviderRequest, 'method' | 'body'> & { readonly search: string },
  schema: z.ZodType<T>,
) => Promise<{ readonly read: T } | Probed>;

/** The face of a provider for its templates: none where its config names no account. Each call has connections of its own, which end with it. */
export function cloudTemplates(config: WhatsAppConfig, userAgent: string): Pick<Provider, 'templates'> {
  if (config.businessAccountId === undefined) return {};
  const asking = <T>(signal: AbortSignal, use: (ask: Ask) => Promise<T>): Promise<T> => {
    const client = new ProviderClient(userAgent);
    return use(askBy(config, client, signal)).finally(() => client.close());
  };
  return {
    templates: {
      list: signal => asking(signal, list),
      createOtp: (draft, signal) => asking(signal, ask => createOtp(ask, draft)),
    },
  };
}

function askBy(
  { baseUrl, version, businessAccountId, accessToken }: WhatsAppConfig,
  client: ProviderClient,
  signal: AbortSignal,
): Ask {
  const { origin, prefix } = readBaseUrl(baseUrl);
  return async ({ search, ...request }, schema) => {
    const path = `${prefix}/${version}/${businessAccountId}/message_templates${search}`;
    const headers = {
      authorization: `Bearer ${accessToken}`,
      accept: 'application/json',
      ...(request.body === null ? {} : { 'content-type': 'application/json' }),
    };
    const asked = { ...request, origin, path, headers, answerBytesMax: PAGE_BYTES_MAX };
    const answer = await answerOf(client, asked, signal);
    if ('result' in answer) return answer;
    const read = answer.status === 200 ? readAs(schema, answer) : null;
    return read === null ? refusalOf(answer, accessToken) : { read };
  };
}

function refusalOf(answer: Answer, accessToken: string): Probed {
  const error = errorIn(answer);
  if (!error) return { result: 'unclear', message: `What answers is not the Graph API (${answer.status}).` };
  const said = error.error_user_msg || error.error_data.details || error.message;
  const words = tellable(said, [accessToken], { text: '', to: '' });
  const message = ended(`Meta refused it with its error ${error.code}${words === '' ? '' : `: ${words}`}`);
  if (answer.status === 401 || error.code === TOKEN_CODE)
    return { result: 'refused', message: `${message} Give the connection an access token that is good.` };
  return { result: 'refused', message: RIGHTS_CODES.has(error.code) ? `${message} ${RIGHTS_ADVICE}` : message };
}

async function list(ask: Ask): ReturnType<Templates['list']> {
  const templates: ListedTemplate[] = [];
  let after: string | undefined;
  for (let count = 0; count < PAGES_MAX; count++) {
    const search = new URLSearchParams({ fields: FIELDS, limit: String(PAGE_SIZE), ...(after && { after }) });
    const answer = await ask({ method: 'GET', search: `?${search}`, body: null }, page);
    if ('result' in answer) return answer;
    const { data, paging } = answer.read;
    templates.push(...data.flatMap(templateOf));
    if (paging?.next === undefined || data.length === 0) return { templates };
    after = paging.cursors.after;
  }
  return { templates };
}

async function createOtp(
  ask: Ask,
  { name, language, codeExpirationMinutes, hasSecurityAdvice }: OtpTemplateDraft,
): ReturnType<Templates['createOtp']> {
  const components = [
    { type: 'BODY', add_security_recommendation: hasSecurityAdvice },
    ...(codeExpirationMinutes === null ? [] : [{ type: 'FOOTER', code_expiration_minutes: codeExpirationMinutes }]),
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ];
  // A code that is over need not arrive.
  const seconds = Math.min(SEND_SECONDS, (codeExpirationMinutes ?? Number.POSITIVE_INFINITY) * 60);
  const given = { name, language, category: 'AUTHENTICATION', message_send_ttl_seconds: seconds, components };
  const answer = await ask({ method: 'POST', search: '', body: JSON.stringify(given) }, made);
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
