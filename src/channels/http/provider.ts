/** The common part of providers that are asked by HTTP. Each differs by its dialect. */
import type { Inbound, Probed, Provider, Report, ReportRequest, SendRequest } from '../contract.ts';
import { noAnswerFrom, unreachable } from '../faults.ts';
import type { SendOutcome } from '../outcome.ts';
import { readBaseUrl } from './base-url.ts';
import { type Answer, ProviderClient, type ProviderRequest } from './client.ts';

/** The outcome of a message with which the provider is not asked, for a reason of the message. */
export type NotAsked = Extract<SendOutcome, { readonly kind: 'rejected' }>;

/** How a provider is asked, and what its words mean. A dialect translates and classifies, and does nothing else. */
export interface Dialect {
  /** The request that hands a message over; or why no request can. */
  requestOf(request: SendRequest): ProviderRequest | NotAsked;
  /** The fate of the message, by the whole answer to it, of whatever status. */
  judge(request: SendRequest, answer: Answer): SendOutcome;
  /** The request by which a config is tried; it hands nothing over. */
  probeOf(): ProviderRequest | NotAsked;
  /** The meaning of the answer to it. */
  judgeProbe(answer: Answer): Probed;
  /** As `Provider.reportsOf`. */
  reportsOf?(request: ReportRequest): readonly Report[] | 'forged';
  /** As `Provider.inboundOf`. */
  inboundOf?(request: ReportRequest): readonly Inbound[] | 'forged' | 'unreadable';
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
      const answer = 'kind' in asked ? asked : await client.ask(asked, signal, request);
      return 'kind' in answer ? answer : dialect.judge(request, answer);
    },
    reportsOf: request => dialect.reportsOf?.(request) ?? 'forged',
    inboundOf: request => dialect.inboundOf?.(request) ?? 'forged',
    close: () => client.close(),
  };
}

/** Tries a dialect without a text, over a connection of its own, as `ProviderDefinition.probe`. */
export async function probeHttp(dialect: Dialect, userAgent: string, signal: AbortSignal): Promise<Probed> {
  const asked = dialect.probeOf();
  if ('kind' in asked) return { result: 'unclear', message: asked.message };
  const client = new ProviderClient(userAgent);
  try {
    const answer = await answerOf(client, asked, signal);
    return 'result' in answer ? answer : dialect.judgeProbe(answer);
  } finally {
    await client.close();
  }
}

/** The answer to a request that hands nothing over; or why there is none, with the place in it. */
export async function answerOf(
  client: ProviderClient,
  asked: ProviderRequest,
  signal: AbortSignal,
): Promise<Answer | Probed> {
  const { host, hostname } = new URL(asked.origin);
  const place = { host: hostname, authority: host };
  let fault: string | null = null;
  const answer = await client.ask(asked, signal, {
    onFault: error => {
      fault = unreachable(error, place);
    },
  });
  if (!('kind' in answer)) return answer;
  const message = answer.code === 'timeout' ? noAnswerFrom(place) : (fault ?? answer.message);
  return { result: 'unreachable', message };
}

/** The meaning of an answer that is none of the API that was asked. */
export function notTheApi({ status }: Answer, api: string): Probed {
  const message = `What answers is not ${api} (${status}). Check the base URL, and try again in a moment.`;
  return { result: 'unclear', message };
}

/** Makes the head of requests that only ask. @param baseUrl as its rule lets it through @param basic `<user>:<password>` */
export function askerBy(baseUrl: string, path: string, basic: string): ProviderRequest {
  const { origin, prefix } = readBaseUrl(baseUrl);
  const authorization = `Basic ${Buffer.from(basic).toString('base64')}`;
  return {
    method: 'GET',
    origin,
    path: `${prefix}${path}`,
    headers: { authorization, accept: 'application/json' },
    body: null,
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
