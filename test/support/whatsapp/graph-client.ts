/** Asks a fake Graph API and listens to it, without a gateway. */
import { GRAPH_NUMBER } from './defaults.ts';
import type { Graph } from './graph.ts';
import { userIdOf } from './options.ts';
import { hubSignature } from './payloads.ts';

/** A number of a person. */
export const TO = '12025550142';
/** The path that takes messages. */
export const MESSAGES = `/v26.0/${GRAPH_NUMBER.phoneNumberId}/messages`;
/** The person. */
export const USER = { number: TO, userId: userIdOf(TO), username: '@ann', name: 'Ann' };

/** An answer: the status, and the body read. */
export interface Answered {
  readonly status: number;
  readonly body: {
    readonly error?: { readonly code: number; readonly error_data?: { readonly details: string } };
    readonly messages?: readonly { readonly id: string }[];
    readonly [more: string]: unknown;
  };
}

/** Asks as a gateway does. @param body absent: it is a GET */
export async function ask(
  graph: Graph,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const usual = { authorization: `Bearer ${GRAPH_NUMBER.accessToken}`, 'user-agent': 'Heliograph/1.0.0' };
  const asJson = body ? { 'content-type': 'application/json' } : {};
  const answer = await fetch(`${graph.url}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...usual, ...asJson, ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

/** A text. */
export const textTo = (to: string, more: object = {}) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to,
  type: 'text',
  text: { body: 'Hello' },
  ...more,
});

/** A code by the template that a fake has. */
export const otp = (code: string, inButton = code) => ({
  name: 'otp_code',
  language: { code: 'en_US' },
  components: [
    { type: 'body', parameters: [{ type: 'text', text: code }] },
    { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: inButton }] },
  ],
});

/** A message by a template. */
export const templateTo = (to: string, template: object = otp('314159'), more: object = {}) => ({
  messaging_product: 'whatsapp',
  to,
  type: 'template',
  template,
  ...more,
});

/** Hands a message over. */
export const send = (graph: Graph, body: object) => ask(graph, MESSAGES, body);

/** Listens for calls. The returned function gives the values that were told so far. */
export function listen(graph: Graph) {
  graph.callTo(async ({ headers, body }) => ({
    status: headers['x-hub-signature-256'] === hubSignature(graph.appSecret, body) ? 200 : 403,
  }));
  return () => graph.calls.map(({ body }) => JSON.parse(body).entry[0].changes[0].value);
}
