/** The members of the configuration of `http-sms` (contract §12), each by itself. */
import { z } from 'zod';
import { oneOf } from '../../kernel/input.ts';
import { receiptSchema } from '../contract.ts';
import { readPattern } from './pattern.ts';
import { readPlace } from './place.ts';

/** The statuses that a word of the gateway can be mapped to. */
const STATUSES = receiptSchema.shape.status.options;

const NAME = /^[\w-]{1,64}$/;

const PLACES = 'json:<pointer>, query:<name>, form:<name>, header:<name> or body:/<pattern>/';

/** Longer than any header or value that a gateway wants. */
const text = z.string().max(4_096, 'must have at most 4096 characters');

/** Any texts by name. */
const texts = z.record(
  z.string().min(1, 'must have a name').max(256, 'must have a name of at most 256 characters'),
  text,
);

/** A text that `read` understands; else it says what is wrong. */
const readable = (read: (text: string) => object | string) =>
  z
    .string()
    .max(512, 'must have at most 512 characters')
    .superRefine((value, { addIssue }) => {
      const message = read(value);
      if (typeof message === 'string') addIssue({ code: 'custom', message });
    });

const place = readable(readPlace);
const pattern = readable(readPattern);

const httpStatus = z.int('must be a status').min(100, 'must be from 100 to 599').max(599, 'must be from 100 to 599');

const rule = z
  .strictObject({
    status: z.array(httpStatus).min(1, 'must name at least one status').optional().meta({
      title: 'Status',
      description: 'The HTTP statuses of such an answer',
    }),
    body: pattern.optional().meta({
      title: 'Body',
      description: 'A pattern between slashes that the body of such an answer matches, like /^OK/',
    }),
  })
  .refine(({ status, body }) => status !== undefined || body !== undefined, 'must have a status, a body, or both');

const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT'], 'must be GET, POST or PUT').default('POST').meta({ title: 'Method' }),
  url: text.meta({ title: 'URL', description: 'Where the gateway takes messages, by http or https' }),
  query: texts.optional().meta({ title: 'Query', description: 'Parameters that are added to the URL' }),
  headers: texts.optional().meta({ title: 'Headers', description: 'Headers beside those that every request has' }),
  form: texts.optional().meta({ title: 'Form', description: 'The fields of a body that is a form' }),
  json: z
    .unknown()
    .optional()
    .meta({ title: 'JSON', description: 'The body, where it is JSON; its texts may hold placeholders' }),
});

const receipt = z
  .strictObject({
    attemptId: place.optional().meta({ title: 'Attempt', description: `Where {{attemptId}} is repeated: ${PLACES}` }),
    messageId: place.optional().meta({ title: 'Message', description: `Where the gateway's own id stands: ${PLACES}` }),
    status: place.meta({ title: 'Status', description: `Where the status stands: ${PLACES}` }),
    errorCode: place
      .optional()
      .meta({ title: 'Error code', description: `Where the reason of a failure stands: ${PLACES}` }),
    map: z.record(z.string(), oneOf(STATUSES)).meta({
      title: 'Statuses',
      description: `What the gateway's statuses mean: each is one of ${STATUSES.join(', ')}; others are ignored`,
    }),
  })
  .refine(({ attemptId, messageId }) => attemptId !== undefined || messageId !== undefined, {
    message: 'must name attemptId or messageId, whichever the gateway repeats',
  });

const inbound = z.strictObject({
  from: place.meta({ title: 'From', description: `Where the number of the person who wrote stands: ${PLACES}` }),
  to: place.meta({ title: 'To', description: `Where your sender stands: ${PLACES}` }),
  text: place.meta({ title: 'Text', description: `Where the text stands: ${PLACES}` }),
  messageId: place.optional().meta({
    title: 'Message',
    description: `Where the gateway's own id stands, by which a repeat is known: ${PLACES}`,
  }),
});

/** The config as far as each member by itself is right. */
export const httpSmsMembers = z.strictObject({
  secrets: z
    .record(z.string().regex(NAME, 'must be a name of letters, digits, _ or -'), text.min(1, 'must not be empty'))
    .default({})
    .meta({
      title: 'Secrets',
      description: 'Passwords and keys by name, for {{secret.<name>}}',
      group: 'who',
      secret: true,
    }),
  request: request.meta({
    title: 'Request',
    description:
      'How a message is handed over. Values may hold {{to}}, {{from}}, {{text}}, {{attemptId}}, {{receiptsUrl}} and {{secret.<name>}}',
    group: 'where',
  }),
  accepted: rule
    .default({ status: [200, 201, 202] })
    .meta({ title: 'Accepted', description: 'The answer to a message that was taken', group: 'answers' }),
  throttled: rule
    .default({ status: [429] })
    .meta({ title: 'Throttled', description: 'The answer to one too many; it is tried again', group: 'answers' }),
  rejected: rule
    .optional()
    .meta({ title: 'Rejected', description: 'The answer to a message that nobody would take', group: 'answers' }),
  messageId: place.optional().meta({
    title: 'Message id',
    description:
      'Where the answer has its id: json:<pointer>, form:<name>, header:<name> or body:/<pattern>/; absent: the attempt has one',
    group: 'answers',
  }),
  receipt: receipt
    .optional()
    .meta({ title: 'Receipts', description: 'How the gateway reports what became of a message', group: 'answers' }),
  inbound: inbound.optional().meta({
    title: 'Inbound',
    description: 'How the gateway brings what people write, at the address of receipts with /inbound behind it',
    group: 'answers',
  }),
});

/** A config of an HTTP gateway. */
export type HttpSmsConfig = z.output<typeof httpSmsMembers>;
