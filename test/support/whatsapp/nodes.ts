/** Nodes of the Graph API: business numbers, business accounts and their templates. */
import { z } from 'zod';
import { json, type Received, type Reply } from '../providers/http-peer.ts';
import { GraphFault, invalid } from './errors.ts';
import { faultOf, readJson } from './message-body.ts';
import type { GraphNumber, GraphTemplate, TemplatePart } from './options.ts';

/** A template with its id. */
export type StoredTemplate = GraphTemplate & { readonly id: string };

/** How many templates a page has unless it is asked for. */
const LIMIT = 25;

const NUMBER_FIELDS = ['id', 'display_phone_number', 'verified_name', 'quality_rating', 'code_verification_status'];

const TEMPLATE_FIELDS = ['id', 'name', 'language', 'category', 'status', 'components'];

/** Answers `GET /{version}/{phoneNumberId}`. */
export function showNumber({ query }: Received, number: GraphNumber): Reply {
  const node: Readonly<Record<string, unknown>> = {
    id: number.phoneNumberId,
    display_phone_number: `+${number.displayNumber}`,
    verified_name: 'Heliograph',
    quality_rating: 'GREEN',
    code_verification_status: 'VERIFIED',
    name_status: 'APPROVED',
    status: 'CONNECTED',
    platform_type: 'CLOUD_API',
    throughput: { level: 'STANDARD' },
    whatsapp_business_manager_messaging_limit: 'TIER_250',
    ...number.fields,
  };
  return json(200, pick(node, query.get('fields'), NUMBER_FIELDS, 'WhatsAppBusinessPhoneNumber'));
}

/** Answers `GET /{version}/{businessAccountId}`. */
export function showAccount({ query }: Received, { businessAccountId, portfolioId }: GraphNumber): Reply {
  const node = {
    id: businessAccountId,
    name: 'Heliograph',
    currency: 'USD',
    timezone_id: '1',
    ...(portfolioId !== undefined && { owner_business_info: { name: 'Heliograph', id: portfolioId } }),
  };
  return json(
    200,
    pick(node, query.get('fields'), ['id', 'name', 'currency', 'timezone_id'], 'WhatsAppBusinessAccount'),
  );
}

/** Answers `GET /{version}/{businessAccountId}/message_templates`: one page, with the cursors of those around it. */
export function listTemplates({ query, path }: Received, all: readonly StoredTemplate[], origin: string): Reply {
  const limit = Number(query.get('limit') ?? LIMIT);
  if (!Number.isInteger(limit) || limit < 1) throw invalid('Param limit must be a positive integer.');
  const found = all.filter(template =>
    (['name', 'status', 'category', 'language'] as const).every(by => (query.get(by) ?? template[by]) === template[by]),
  );
  const start = query.has('after') ? readCursor(query.get('after')) + 1 : 0;
  const page = found.slice(start, start + limit);
  const nodes = page.map(({ rejectedReason, ...template }) => ({
    ...template,
    rejected_reason: rejectedReason ?? 'NONE',
    quality_score: { score: 'UNKNOWN' },
  }));
  const data = nodes.map(node => pick(node, query.get('fields'), TEMPLATE_FIELDS, 'WhatsAppMessageTemplate'));
  if (page.length === 0) return json(200, { data });
  const after = cursorOf(start + page.length - 1);
  const next = `${origin}${path}?${new URLSearchParams({ ...Object.fromEntries(query), after })}`;
  const hasMore = start + page.length < found.length;
  return json(200, { data, paging: { cursors: { before: cursorOf(start), after }, ...(hasMore ? { next } : {}) } });
}

function pick(node: Readonly<Record<string, unknown>>, asked: string | null, usual: readonly string[], type: string) {
  const names = asked === null ? usual : ['id', ...asked.split(',').map(name => name.trim())];
  const unknown = names.find(name => !Object.hasOwn(node, name));
  if (unknown !== undefined) throw invalid(`Tried accessing nonexisting field (${unknown}) on node type (${type})`);
  return Object.fromEntries(names.map(name => [name, node[name]]));
}

function cursorOf(index: number): string {
  return Buffer.from(`cursor:${index}`).toString('base64url');
}

function readCursor(text: string | null): number {
  const [, index] = /^cursor:([0-9]+)$/.exec(Buffer.from(text ?? '', 'base64url').toString()) ?? [];
  if (index === undefined) throw invalid('Invalid cursors values');
  return Number(index);
}

const common = {
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/),
};

const otpButton = z.strictObject({
  type: z.literal(['OTP', 'otp']),
  otp_type: z.literal(['COPY_CODE', 'copy_code']),
  text: z.string().max(25).optional(),
});

const otpPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('BODY'), add_security_recommendation: z.boolean().optional() }),
  z.strictObject({ type: z.literal('FOOTER'), code_expiration_minutes: z.int().min(1).max(90).optional() }),
  z.strictObject({ type: z.literal('BUTTONS'), buttons: z.array(otpButton).length(1) }),
]);

type OtpPart = z.infer<typeof otpPart>;

const otpTemplate = z.strictObject({
  ...common,
  category: z.literal('AUTHENTICATION'),
  message_send_ttl_seconds: z.union([z.literal(-1), z.int().min(30).max(900)]).optional(),
  components: z.array(otpPart),
});

const otherPart = z.looseObject({
  type: z.literal(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']),
  format: z.enum(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT']).optional(),
  text: z.string().optional(),
  buttons: z
    .array(z.looseObject({ type: z.string(), text: z.string().optional(), url: z.string().optional() }))
    .optional(),
});

const otherTemplate = z.strictObject({
  ...common,
  category: z.literal(['MARKETING', 'UTILITY']),
  components: z.array(otherPart).min(1),
});

/** Reads the body of `POST /{version}/{businessAccountId}/message_templates`: a new template, under review. */
export function readNewTemplate({ body }: Received, all: readonly GraphTemplate[]): GraphTemplate {
  const read = z.discriminatedUnion('category', [otpTemplate, otherTemplate]).safeParse(readJson(body), {
    reportInput: true,
  });
  if (!read.success) throw faultOf(read.error.issues[0]);
  const { name, language, category, components } = read.data;
  if (all.some(one => one.name === name && one.language === language))
    throw new GraphFault(100, 'Content in this language already exists', 'Invalid parameter');
  if (category === 'AUTHENTICATION' && !['BODY', 'BUTTONS'].every(type => components.some(one => one.type === type)))
    throw new GraphFault(131008, 'components: BODY and BUTTONS are required');
  const listed = read.data.category === 'AUTHENTICATION' ? read.data.components.flatMap(shown) : read.data.components;
  return { name, language, category, status: 'PENDING', components: listed };
}

/** A part as it is listed: Meta writes the words of authentication templates itself, and makes an address of the button. */
function shown(part: OtpPart): TemplatePart[] {
  if (part.type === 'BUTTONS') {
    const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}';
    return [{ type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copy code', url }] }];
  }
  if (part.type === 'FOOTER') {
    const minutes = part.code_expiration_minutes;
    return minutes === undefined ? [] : [{ type: 'FOOTER', text: `This code expires in ${minutes} minutes.` }];
  }
  const more = part.add_security_recommendation === true ? ' For your security, do not share this code.' : '';
  return [{ ...part, text: `*{{1}}* is your verification code.${more}` }];
}
