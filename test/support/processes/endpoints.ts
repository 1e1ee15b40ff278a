/** Endpoints of webhooks, on a gateway in a process of its own. */
import { ask, type DemoGateway } from './gateway.ts';

/** An endpoint that was made, and the secret that signs what it is sent. */
export interface MadeEndpoint {
  readonly endpointId: string;
  readonly secret: string;
}

/** Makes an endpoint of the demo account. */
export async function makeEndpoint(
  gateway: Pick<DemoGateway, 'url' | 'demo'>,
  url: string,
  events: readonly string[] = ['message.sent'],
): Promise<MadeEndpoint> {
  const query = `mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { secret endpoint { endpointId } } }`;
  type Answer = { createWebhookEndpoint: { secret: string; endpoint: { endpointId: string } } };
  const { createWebhookEndpoint: made } = await ask<Answer>(gateway, gateway.demo.tokens.management, query, {
    input: { url, events },
  });
  return { endpointId: made.endpoint.endpointId, secret: made.secret };
}
