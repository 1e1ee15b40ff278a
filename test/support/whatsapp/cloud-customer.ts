/** A customer of a gateway in this process: cloud chat goes to a fake Graph API, SMS to a fake carrier, and calls come back in. */
import { createConnection, shownReceiptsUrl } from '../../../src/modules/connections/manage-connections.ts';
import type { TestApp } from '../app.ts';
import type { HttpGateway } from '../connections/http-gateway.ts';
import { OPERATOR } from '../services.ts';
import { GRAPH_NUMBER } from './defaults.ts';
import type { Graph } from './graph.ts';
import type { GraphNumber } from './options.ts';

/** A connection, and the path of its receipts. */
export interface Connected {
  readonly connectionId: string;
  readonly path: string;
}

/** Connects WhatsApp Cloud. Where the fake calls to is not changed: `callIn` does that. @param accountId null: it is shared by all */
export async function connectCloud(
  on: TestApp,
  accountId: string | null,
  graph: Graph,
  more: { readonly number?: GraphNumber; readonly appSecret?: string; readonly throughput?: number } = {},
): Promise<Connected> {
  const { number = GRAPH_NUMBER, appSecret = graph.appSecret, throughput = 1_000 } = more;
  const { phoneNumberId, businessAccountId, accessToken } = number;
  const { verifyToken, url: baseUrl } = graph;
  const config = { phoneNumberId, businessAccountId, accessToken, appSecret, verifyToken, throughput, baseUrl };
  return connect(on, { accountId, provider: 'whatsapp-cloud', channel: 'chat_cloud', name: 'Cloud', config });
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
