/** What is the same for every provider that is asked by HTTP. What differs is its dialect. */
import type { Provider, Report, ReportRequest, SendOutcome, SendRequest } from '../contract.ts';
import { readBaseUrl } from './base-url.ts';
import { type Answer, ProviderClient, type ProviderRequest } from './client.ts';

/** The outcome of a message with which the provider is not asked, for a reason of the message. */
export type NotAsked = Extract<SendOutcome, { readonly kind: 'rejected' }>;

/** How a provider is asked, and what its words mean. It does nothing: it translates and classifies. */
export interface Dialect {
  /** The request that hands a message over; or why no request can. */
  requestOf(request: SendRequest): ProviderRequest | NotAsked;
  /** What became of the message, by the whole answer to it, of whatever status. */
  judge(request: SendRequest, answer: Answer): SendOutcome;
  /** As `Provider.reportsOf`. */
  reportsOf(request: ReportRequest): readonly Report[] | 'forged';
}

/** Makes the provider of a dialect, with connections of its own. */
export function httpProvider(
  { id, capabilities }: Pick<Provider, 'id' | 'capabilities'>,
  userAgent: string,
  dialect: Dialect,
): Provider {
  const client = new ProviderClient(userAgent);
  return {
    id,
    capabilities,
    async send(request, signal) {
      const asked = dialect.requestOf(request);
      const answer = 'kind' in asked ? asked : await client.ask(asked, signal);
      return 'kind' in answer ? answer : dialect.judge(request, answer);
    },
    reportsOf: request => dialect.reportsOf(request),
    close: () => client.close(),
  };
}

/** Makes requests that post a form to a path of an API, and want JSON. @param baseUrl as its rule lets it through */
export function formPoster(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): (fields: Readonly<Record<string, string>>) => ProviderRequest {
  const { origin, prefix } = readBaseUrl(baseUrl);
  const asForm = { ...headers, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  return fields => ({
    method: 'POST',
    origin,
    path: `${prefix}${path}`,
    headers: asForm,
    body: new URLSearchParams(fields).toString(),
  });
}
