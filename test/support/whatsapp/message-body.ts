/** The body of `POST /{version}/{phoneNumberId}/messages`, as far as a gateway sends it: texts and templates. */
import { z } from 'zod';
import { GraphFault, invalid } from './errors.ts';

/** The longest text of a message. */
const TEXT_MAX = 4_096;

/** The longest `biz_opaque_callback_data`. */
const OPAQUE_MAX = 512;

const media = z.union([
  z.strictObject({ link: z.url({ protocol: /^https$/ }), filename: z.string().optional() }),
  z.strictObject({ id: z.string().regex(/^[0-9]+$/), filename: z.string().optional() }),
]);

const named = { parameter_name: z.string().optional() };

const parameter = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string(), ...named }),
  z.strictObject({
    type: z.literal('currency'),
    currency: z.strictObject({ fallback_value: z.string(), code: z.string().length(3), amount_1000: z.int() }),
    ...named,
  }),
  z.strictObject({ type: z.literal('date_time'), date_time: z.strictObject({ fallback_value: z.string() }), ...named }),
  z.strictObject({ type: z.literal('image'), image: media }),
  z.strictObject({ type: z.literal('video'), video: media }),
  z.strictObject({ type: z.literal('document'), document: media }),
  z.strictObject({ type: z.literal('payload'), payload: z.string().min(1) }),
  z.strictObject({ type: z.literal('coupon_code'), coupon_code: z.string().min(1).max(15) }),
]);

const component = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('header'), parameters: z.array(parameter) }),
  z.strictObject({ type: z.literal('body'), parameters: z.array(parameter) }),
  z.strictObject({
    type: z.literal('button'),
    sub_type: z.enum(['url', 'quick_reply', 'copy_code']),
    index: z.union([z.string().regex(/^[0-9]$/), z.int().min(0).max(9)]).transform(Number),
    parameters: z.array(parameter),
  }),
]);

const template = z.strictObject({
  name: z.string().min(1).max(512),
  language: z.strictObject({
    code: z.string().regex(/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/),
    policy: z.literal('deterministic').optional(),
  }),
  components: z.array(component).optional(),
});

const shared = {
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual').optional(),
  to: z
    .string()
    .regex(/^[1-9][0-9]{6,14}$/)
    .optional(),
  recipient: z
    .string()
    .regex(/^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/)
    .optional(),
  context: z.strictObject({ message_id: z.string().startsWith('wamid.') }).optional(),
  biz_opaque_callback_data: z.string().max(OPAQUE_MAX).optional(),
};

const messageBody = z.discriminatedUnion('type', [
  z.strictObject({
    ...shared,
    type: z.literal('text'),
    text: z.strictObject({ body: z.string().min(1).max(TEXT_MAX), preview_url: z.boolean().optional() }),
  }),
  z.strictObject({ ...shared, type: z.literal('template'), template }),
]);

/** A message as it was asked for. */
export type MessageBody = Readonly<z.infer<typeof messageBody>>;

/** The template of a message. */
export type SentTemplate = Readonly<z.infer<typeof template>>;

/** A part of it with its parameters. */
export type SentComponent = Readonly<z.infer<typeof component>>;

/** A value for a placeholder, or what stands in its place. */
export type SentParameter = Readonly<z.infer<typeof parameter>>;

/** Reads the body of a request. Throws the fault of one that Meta would refuse whatever is stored. */
export function readMessageBody(text: string): MessageBody {
  const read = messageBody.safeParse(readJson(text), { reportInput: true });
  if (!read.success) throw faultOf(read.error.issues[0]);
  if (read.data.to === undefined && read.data.recipient === undefined) throw invalid('The parameter to is required.');
  return read.data;
}

/** Reads JSON, or throws the fault of what is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('The body is no JSON.');
  }
}

/** The fault of what does not fit a schema: 100 for a name that is missing or unknown, 131009 for a value. */
export function faultOf(issue: z.core.$ZodIssue | undefined): GraphFault {
  const [first = '', ...rest] = issue?.path ?? [];
  const name = `${String(first)}${rest.map(step => `['${String(step)}']`).join('')}`;
  if (issue?.code === 'unrecognized_keys')
    return invalid(`Unexpected key "${issue.keys[0] ?? ''}" on param "${name}".`);
  if (issue?.input !== undefined) return new GraphFault(131009, `Parameter value is not valid: ${name}`);
  return rest.length === 0
    ? invalid(`The parameter ${name} is required.`)
    : new GraphFault(131008, `Required parameter is missing: ${name}`);
}
