/** The configuration of `http-sms` (contract §12): any HTTP gateway, without code. A config that cannot work is refused when it is given. */
import { z } from 'zod';
import { readPattern, readPlace } from './place.ts';
import { textsIn, unknownPlaceholders } from './template.ts';

/** What a gateway's status may become. */
const STATUSES = ['sent', 'delivered', 'read', 'failed', 'expired'] as const;

const NAME = /^[\w-]{1,64}$/;

/** Longer than any header or value that a gateway wants. */
const text = z.string().max(4_096, 'must have at most 4096 characters');

const place = z
  .string()
  .max(512, 'must have at most 512 characters')
  .superRefine((value, { addIssue }) => {
    const read = readPlace(value);
    if (typeof read === 'string') addIssue({ code: 'custom', message: read });
  });

const pattern = z
  .string()
  .max(512, 'must have at most 512 characters')
  .superRefine((value, { addIssue }) => {
    const read = readPattern(value);
    if (typeof read === 'string') addIssue({ code: 'custom', message: read });
  });

const rule = z
  .strictObject({
    status: z.array(z.int().min(100).max(599)).min(1, 'must name at least one status').optional(),
    body: pattern.optional().meta({ description: 'A pattern between slashes that the body of the answer matches' }),
  })
  .refine(({ status, body }) => status !== undefined || body !== undefined, 'must have a status, a body, or both');

/** Any texts by name. */
const texts = z.record(z.string().min(1), text);

const request = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT'], 'must be GET, POST or PUT').default('POST'),
  url: text.meta({ description: 'Where the gateway takes messages: http or https' }),
  query: texts.optional(),
  headers: texts.optional(),
  form: texts.optional(),
  json: z.unknown().optional(),
});

const receipt = z
  .strictObject({
    attemptId: place.optional(),
    messageId: place.optional(),
    status: place,
    errorCode: place.optional(),
    map: z.record(z.string(), z.enum(STATUSES, `must be one of ${STATUSES.join(', ')}`)),
  })
  .refine(({ attemptId, messageId }) => attemptId !== undefined || messageId !== undefined, {
    message: 'must name attemptId or messageId, whichever the gateway repeats',
  });

/** The config, checked. */
export const httpSmsConfig = z
  .strictObject({
    secrets: z
      .record(z.string().regex(NAME, 'must be a name of letters, digits, _ or -'), text)
      .default({})
      .meta({ description: 'Passwords and keys by name, for {{secret.<name>}}', secret: true }),
    request,
    accepted: rule.default({ status: [200, 201, 202] }),
    throttled: rule.default({ status: [429] }),
    rejected: rule.optional(),
    messageId: place.optional().meta({ description: 'Where the answer has the id of the message' }),
    receipt: receipt.optional(),
  })
  .superRefine((config, { addIssue }) => {
    for (const [path, message] of faultsOf(config)) addIssue({ code: 'custom', path, message });
  })
  .meta({ id: 'HttpSmsConfig', description: 'An HTTP gateway for SMS' });

/** A config of an HTTP gateway. */
export type HttpSmsConfig = z.output<typeof httpSmsConfig>;

type Fault = readonly [path: (string | number)[], message: string];

function faultsOf({ request: asked, secrets }: { request: z.output<typeof request>; secrets: object }): Fault[] {
  const faults: Fault[] = [];
  if (asked.form !== undefined && asked.json !== undefined)
    faults.push([['request', 'json'], 'must stand alone: a request has a form or a JSON body']);
  if (asked.method === 'GET' && (asked.form !== undefined || asked.json !== undefined))
    faults.push([['request', 'method'], 'must be POST or PUT where the request has a body']);
  // A placeholder in a URL is a part of its path or its query, never its host.
  const url = URL.parse(asked.url.replaceAll(/\{\{[^{}]*\}\}/g, 'x'));
  if (!url || !/^https?:$/.test(url.protocol) || /\{\{/.test(asked.url.split('/')[2] ?? ''))
    faults.push([['request', 'url'], 'must be a whole URL that begins with http:// or https://']);
  else if (url.username !== '' || url.password !== '')
    faults.push([['request', 'url'], 'must hold no user name and no password: put them into secrets and a header']);
  const names = Object.keys(secrets);
  for (const part of ['url', 'query', 'headers', 'form', 'json'] as const) {
    for (const value of textsIn(asked[part])) {
      for (const unknown of unknownPlaceholders(value, names))
        faults.push([['request', part], `holds the unknown placeholder {{${unknown}}}`]);
    }
  }
  for (const [name, value] of Object.entries(asked.headers ?? {})) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || /[\r\n\0]/.test(value))
      faults.push([['request', 'headers', name], 'must be the name of a header and a value of one line']);
  }
  return faults;
}
