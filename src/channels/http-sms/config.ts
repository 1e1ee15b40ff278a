/** The configuration of `http-sms` (contract §12): any HTTP gateway, without code. A config that cannot work is refused when it is given. */
import { type HttpSmsConfig, httpSmsMembers } from './schema.ts';
import { faultOf, namesIn, readTemplate, textsIn } from './template.ts';

type Fault = readonly [path: readonly string[], message: string];

/** Headers that belong to the connection: the HTTP client writes them, and refuses others'. */
const CLIENT_HEADERS = ['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade'];

const PRINTABLE = /^[\t\x20-\x7e]*$/;

/** The config, checked. */
export const httpSmsConfig = httpSmsMembers
  .superRefine((config, { addIssue }) => {
    for (const [path, message] of faultsOf(config)) addIssue({ code: 'custom', path: [...path], message });
  })
  .meta({ title: 'HTTP gateway', description: 'An HTTP gateway for SMS' });

/** The faults, each with where it is. */
function faultsOf(config: HttpSmsConfig): Fault[] {
  return [...requestFaults(config), ...headerFaults(config), ...receiptFaults(config)];
}

function requestFaults({ request, secrets }: HttpSmsConfig): Fault[] {
  const faults: Fault[] = [];
  if (request.form !== undefined && request.json !== undefined)
    faults.push([['request', 'json'], 'must stand alone: a request has a form or a JSON body']);
  if (request.method === 'GET' && (request.form !== undefined || request.json !== undefined))
    faults.push([['request', 'method'], 'must be POST or PUT where the request has a body']);
  const urlFault = faultOfUrl(request.url);
  if (urlFault !== null) faults.push([['request', 'url'], urlFault]);
  const names = Object.keys(secrets);
  for (const part of ['url', 'query', 'headers', 'form', 'json'] as const) {
    const found = textsIn(request[part]).flatMap(text => faultOf(text, names) ?? []);
    faults.push(...[...new Set(found)].map((message): Fault => [['request', part], message]));
  }
  return faults;
}

function faultOfUrl(text: string): string | null {
  // A placeholder may be a part of the path or the query, never of the host.
  const [start = ''] = /^[^/]*\/\/[^/?#]*/.exec(text) ?? [];
  const url = start.includes('{{') ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return 'must be a whole URL that begins with http:// or https://';
  if (url.username !== '' || url.password !== '')
    return 'must hold no user name and no password: put them into secrets and a header';
  return url.hash === '' ? null : 'must hold no fragment: nothing behind # is sent';
}

function headerFaults({ request, secrets }: HttpSmsConfig): Fault[] {
  return Object.entries(request.headers ?? {}).flatMap(([name, value]): Fault[] => {
    const path = ['request', 'headers', name];
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !PRINTABLE.test(value))
      return [[path, 'must be the name of a header and a value of printable ASCII']];
    if (CLIENT_HEADERS.includes(name.toLowerCase()))
      return [[path, 'must not be given: it is the HTTP client that writes it']];
    const used = namesIn(readTemplate(value)).map(placeholder => secrets[placeholder.replace(/^secret\./, '')] ?? '');
    return used.every(secret => PRINTABLE.test(secret)) ? [] : [[path, 'must hold only secrets of printable ASCII']];
  });
}

/** Without what a gateway repeats, nobody would know whose receipt it is. */
function receiptFaults({ request, messageId, receipt }: HttpSmsConfig): Fault[] {
  const faults: Fault[] = [];
  if (messageId?.startsWith('query:')) faults.push([['messageId'], 'must stand in the answer, which has no query']);
  const names = ['url', 'query', 'headers', 'form', 'json'] as const;
  const told = names.flatMap(part => textsIn(request[part])).flatMap(text => namesIn(readTemplate(text)));
  if (receipt?.attemptId !== undefined && !told.includes('attemptId'))
    faults.push([
      ['receipt', 'attemptId'],
      'must not be read where the request does not tell the gateway {{attemptId}}',
    ]);
  if (receipt?.messageId !== undefined && receipt.attemptId === undefined && messageId === undefined)
    faults.push([['receipt', 'messageId'], 'must stand in the answer too: messageId says where']);
  return faults;
}
