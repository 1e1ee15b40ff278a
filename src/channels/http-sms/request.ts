/** Makes the requests of a config: what of it stays the same is read once. */
import type { SendRequest } from '../contract.ts';
import type { ProviderRequest } from '../http/client.ts';
import type { NotAsked } from '../http/provider.ts';
import type { HttpSmsConfig } from './schema.ts';
import {
  asItIs,
  fill,
  inHeader,
  inUrl,
  readJsonTemplate,
  readTemplate,
  type Template,
  type Values,
} from './template.ts';

/** Makes the request of an attempt, unless a value of it cannot stand where it should. */
export type MakeRequest = (request: SendRequest) => ProviderRequest | NotAsked;

/** Refuses a value that would lead to another path of the gateway. Servers and proxies take `%2E` for a dot, and many take `%2F` for a slash. */
const STEPS: NotAsked = {
  kind: 'rejected',
  code: 'text_not_possible',
  message: 'A step of the path at the gateway would be "." or "..", which servers follow instead of reading it.',
};

/** Separators of path steps, plain or percent-encoded. */
const BETWEEN_STEPS = /\/|\\|%2f|%5c/i;

type Named = readonly (readonly [name: string, template: Template])[];

/** A config's `MakeRequest`. @param receiptsUrl as `ConnectionServices` */
export function requestMaker({ request, secrets }: HttpSmsConfig, receiptsUrl: string): MakeRequest {
  const { method } = request;
  const { origin, path } = readUrl(request.url);
  const query = named(request.query);
  const headers = named(request.headers).map(([name, template]) => [name.toLowerCase(), template] as const);
  const makeBody = bodyMaker(request);
  const type = request.json !== undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const fixed = new Map([...Object.entries(secrets)].map(([name, value]) => [`secret.${name}`, value.toWellFormed()]));
  return ({ to, from, text, attemptId }) => {
    const values: Values = {
      ...Object.fromEntries(fixed),
      to,
      from,
      text: text.toWellFormed(),
      attemptId,
      receiptsUrl,
    };
    const filled = fill(path, values, inUrl);
    if (holdsSteps(filled)) return STEPS;
    const body = makeBody(values);
    return {
      method,
      origin,
      path: withQuery(filled, query, values),
      headers: {
        ...(body === null ? {} : { 'content-type': type }),
        ...Object.fromEntries(headers.map(([name, template]) => [name, fill(template, values, inHeader)])),
      },
      body,
    };
  };
}

/** The parts of a URL; its placeholders are put in afterwards, lest `new URL` gives a meaning to a value. */
function readUrl(text: string): { readonly origin: string; readonly path: Template } {
  const url = new URL(
    readTemplate(text)
      .map((part, index) => (index % 2 === 0 ? part : `{{${part}}}`))
      .join(''),
  );
  // In a path, though not in a query, braces are escaped when a URL is read.
  const path = (url.pathname + url.search).replaceAll(/%7B%7B([\w.-]+)%7D%7D/g, '{{$1}}');
  return { origin: url.origin, path: readTemplate(path) };
}

function holdsSteps(target: string): boolean {
  const [path = ''] = target.split('?', 1);
  return path.split(BETWEEN_STEPS).some(step => step === '.' || step === '..');
}

function withQuery(path: string, query: Named, values: Values): string {
  if (query.length === 0) return path;
  // `%20` for a blank, not `+`: every server reads that.
  const pairs = query.map(
    ([name, template]) => `${encodeURIComponent(name)}=${encodeURIComponent(fill(template, values, asItIs))}`,
  );
  return `${path}${path.includes('?') ? '&' : '?'}${pairs.join('&')}`;
}

function bodyMaker({ form, json }: HttpSmsConfig['request']): (values: Values) => string | null {
  if (json !== undefined) {
    const template = readJsonTemplate(json);
    return values => JSON.stringify(template(values));
  }
  if (form === undefined) return () => null;
  const fields = named(form);
  return values =>
    new URLSearchParams(fields.map(([name, template]) => [name, fill(template, values, asItIs)])).toString();
}

function named(texts: Readonly<Record<string, string>> | undefined): Named {
  return Object.entries(texts ?? {}).map(([name, text]) => [name, readTemplate(text)]);
}
