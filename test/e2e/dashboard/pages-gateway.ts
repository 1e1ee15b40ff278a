import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createSchema, createYoga } from 'graphql-yoga';
import { Hono } from 'hono';
import { openApiDocument } from '../../../src/rest/openapi/document.ts';
import { servePages } from '../../../src/rest/pages.ts';
import { routes } from '../../../src/rest/routes.ts';

/** The pages on a real port, before the OpenAPI document and a GraphQL server with just what they show. */
export function startGateway() {
  const authorizations: (string | null)[] = [];
  const ended = Promise.withResolvers<void>();
  const yoga = createYoga({ schema: demoSchema(ended.resolve), graphiql: false, logging: false });
  const app = new Hono();
  const server = createServer(getRequestListener(app.fetch));
  return {
    feedEnded: ended.promise,
    seenAuthorizations: () => authorizations,
    async start(folder: string): Promise<string> {
      servePages(app, { playground: true, directory: folder });
      app.on(['GET', 'POST'], '/graphql', async c => {
        authorizations.push(c.req.header('authorization') ?? null);
        return await yoga.fetch(c.req.raw);
      });
      app.get('/healthz', c => c.json({}));
      app.get('/favicon.ico', c => c.body(null, 204));
      app.get('/openapi.json', c => c.json(openApiDocument(routes, '0.0.0')));
      app.post('/api/omni/send', c => {
        authorizations.push(c.req.header('authorization') ?? null);
        return c.json({ success: true, data: { messageId: 'msg_from_docs' } });
      });
      await new Promise<void>(resolveListening => server.listen(0, '127.0.0.1', resolveListening));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise(resolveClosed => server.close(resolveClosed));
    },
  };
}

function demoSchema(onFeedEnded: () => void) {
  return createSchema({
    typeDefs: /* GraphQL */ `
      enum Channel { CHAT_QR, SMS }
      input SendMessageInput { to: String!, text: String, channels: [Channel!], chatFrom: String, sender: String }
      type Attempt { channel: Channel!, provider: String!, status: String!, errorCode: String }
      type Message { messageId: ID!, status: String!, channel: Channel, attempts: [Attempt!]! }
      type Log { id: ID! }
      type Viewer { user: User, account: Account }
      type User { email: String! }
      type Account { name: String! }
      type Query { message(messageId: ID!): Message, viewer: Viewer }
      type Mutation { sendMessage(input: SendMessageInput!): Message! }
      type Subscription { logAdded: Log! }
    `,
    resolvers: {
      Mutation: {
        sendMessage: () => ({
          messageId: 'msg_demo',
          status: 'SENT',
          channel: 'SMS',
          attempts: [{ channel: 'SMS', provider: 'sandbox', status: 'SENT', errorCode: null }],
        }),
      },
      Subscription: { logAdded: { subscribe: () => twoLogsThenSilence(onFeedEnded) } },
    },
  });
}

/** Not a generator: one that waits for ever could not be ended from outside. */
function twoLogsThenSilence(onEnded: () => void): AsyncIterableIterator<unknown> {
  const ids = ['log_first', 'log_second'];
  const silence = Promise.withResolvers<IteratorResult<unknown>>();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const id = ids.shift();
      return id === undefined ? await silence.promise : { done: false, value: { logAdded: { id } } };
    },
    async return() {
      onEnded();
      silence.resolve({ done: true, value: undefined });
      return { done: true, value: undefined };
    },
  };
}
