/** A connection of an account to a fake Graph API. */
import { expect } from 'vitest';
import { createConnection, shownReceiptsUrl } from '../../../src/modules/connections/manage-connections.ts';
import { OPERATOR_TOKEN, type TestApp } from '../app.ts';
import type { HttpGateway } from '../connections/http-gateway.ts';
import { ask, type DemoGateway, operatorTokenOf } from '../processes/gateway.ts';
import { OPERATOR } from '../services.ts';
import { GRAPH_NUMBER } from './defaults.ts';
import type { Graph } from './graph.ts';
import type { GraphNumber, GraphTemplate } from './options.ts';

/** The config of a connection by a number of a fake, the first unless told. */
export function graphConfig(graph: Graph, number: GraphNumber = graph.numbers[0] ?? GRAPH_NUMBER) {
  const { phoneNumberId, accessToken, businessAccountId } = number;
  const { appSecret, verifyToken, url: baseUrl } = graph;
  return { phoneNumberId, accessToken, businessAccountId, appSecret, verifyToken, baseUrl };
}

/** Connects an account, or with null every account without connections of its own. Answers the id of the connection. */
export async function connectGraph(
  on: Pick<TestApp, 'graphql'>,
  graph: Graph,
  accountId: string | null,
  more: object = {},
): Promise<string> {
  const input = {
    ...{ accountId, provider: 'whatsapp-cloud', channel: 'CHAT_CLOUD', name: 'Cloud' },
    config: graphConfig(graph),
    ...more,
  };
  const { data, errors } = await on.graphql<{ made: { connectionId: string } }>(
    'mutation ($input: CreateConnectionInput!) { made: createConnection(input: $input) { connectionId } }',
    { token: OPERATOR_TOKEN, variables: { input } },
  );
  expect(errors).toBeNull();
  return data?.made.connectionId ?? '';
}

/** The path of the address to which the provider of a connection reports. */
export async function receiptsPathOf(
  on: Pick<TestApp, 'graphql'>,
  connectionId: string,
  accountId: string | null,
): Promise<string> {
  const { data } = await on.graphql<{ connections: { connectionId: string; receiptsUrl: string }[] }>(
    'query ($accountId: String) { connections(accountId: $accountId) { connectionId receiptsUrl } }',
    { token: OPERATOR_TOKEN, variables: { accountId } },
  );
  const found = data?.connections.find(one => one.connectionId === connectionId);
  return new URL(found?.receiptsUrl ?? '').pathname;
}

/** Connects the demo account of a gateway to a fake, and synchronises its templates. Answers the id of the connection. */
export async function connectTemplates(gateway: DemoGateway, graph: Graph): Promise<string> {
  const operator = await operatorTokenOf(gateway);
  const input = {
    ...{ accountId: gateway.demo.accountId, provider: 'whatsapp-cloud', channel: 'CHAT_CLOUD', name: 'Cloud' },
    config: graphConfig(graph),
  };
  const { made } = await ask<{ made: { connectionId: string } }>(
    gateway,
    operator,
    'mutation ($input: CreateConnectionInput!) { made: createConnection(input: $input) { connectionId } }',
    { input },
  );
  const sync = 'mutation ($id: String!) { syncTemplates(connectionId: $id) { result } }';
  await ask(gateway, operator, sync, { id: made.connectionId });
  return made.connectionId;
}

/** A template with a body of one parameter. */
export function utilityTemplate(name: string, more: Partial<GraphTemplate> = {}): GraphTemplate {
  const components = [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }] as const;
  return { name, language: 'en_US', category: 'UTILITY', status: 'APPROVED', components, ...more };
}

/** A connection, and the path of its receipts. */
export interface Connected {
  readonly connectionId: string;
  readonly path: string;
}

/** Connects WhatsApp Cloud. The fake goes on calling the same path until `callIn`. @param accountId null: all accounts share the connection */
export async function connectCloud(
  on: TestApp,
  accountId: string | null,
  graph: Graph,
  more: {
    readonly number?: GraphNumber;
    readonly appSecret?: string;
    readonly throughput?: number;
    readonly priority?: number;
  } = {},
): Promise<Connected> {
  const { number, appSecret = graph.appSecret, throughput = 1_000, priority } = more;
  const config = { ...graphConfig(graph, number), appSecret, throughput };
  const given = { accountId, provider: 'whatsapp-cloud', channel: 'chat_cloud', name: 'Cloud', config } as const;
  return connect(on, { ...given, priority });
}

/** Connects a carrier. */
export function connectCarrier(on: TestApp, accountId: string | null, { config }: HttpGateway): Promise<Connected> {
  return connect(on, { accountId, provider: 'http-sms', channel: 'sms', name: 'Carrier', config: { ...config } });
}

async function connect(on: TestApp, input: Parameters<typeof createConnection>[1]): Promise<Connected> {
  const ctx = on.app.makeCtx(OPERATOR, 'test');
  const connection = await createConnection(ctx, input);
  await on.app.services.providers.refresh();
  return { connectionId: connection.id, path: new URL(shownReceiptsUrl(ctx, connection) ?? '').pathname };
}

/** From now on the fake calls this path of the gateway. */
export function callIn(on: TestApp, graph: Graph, { path }: Connected): void {
  graph.callTo(({ headers, body }) => on.rest('POST', path, { headers, body }));
}
