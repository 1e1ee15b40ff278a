/** The other end of `http-sms`: a gateway of a carrier over HTTP, which takes messages and answers as a test says. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as the gateway got it. */
export interface GatewayMessage {
  readonly to: string;
  readonly text: string;
  /** Our id of the attempt. */
  readonly attempt: string;
  /** The URL that the gateway reports to. */
  readonly receipts: string;
}

/** How a message is answered. */
export type GatewayScript = (message: GatewayMessage, response: ServerResponse, request: IncomingMessage) => unknown;

/** A gateway that listens. */
export interface HttpGateway {
  /** The config for a connection of the provider `http-sms`. */
  readonly config: Record<string, unknown>;
  /** The messages that came, in order. */
  readonly messages: GatewayMessage[];
  /** The headers of each. */
  readonly headers: IncomingHttpHeaders[];
  /** Answers like this from now on; it accepts unless told, with the id `gw-<n>`. */
  answerWith(script: GatewayScript): void;
  close(): Promise<void>;
}

/** Opens a gateway on a free port. */
export async function openHttpGateway(): Promise<HttpGateway> {
  const messages: GatewayMessage[] = [];
  const headers: IncomingHttpHeaders[] = [];
  let script: GatewayScript = (_message, response) => {
    response.writeHead(202).end(`id=gw-${messages.length}`);
  };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://gateway.test');
    const value = (name: string): string => searchParams.get(name) ?? '';
    const message = {
      to: value('to'),
      text: value('text'),
      attempt: value('attempt'),
      receipts: value('receipts'),
    };
    messages.push(message);
    headers.push(request.headers);
    script(message, response, request);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    config: {
      request: {
        method: 'GET',
        url: `http://127.0.0.1:${port}/send`,
        query: { to: '{{to}}', text: '{{text}}', attempt: '{{attemptId}}', receipts: '{{receiptsUrl}}' },
      },
      accepted: { status: [202] },
      messageId: 'body:/id=(\\S+)/',
      receipt: {
        messageId: 'query:id',
        attemptId: 'query:attempt',
        status: 'query:status',
        map: { D: 'delivered', F: 'failed', S: 'sent' },
      },
    },
    messages,
    headers,
    answerWith(wanted) {
      script = wanted;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
