/** QR-linked chats of a gateway under test: a connection, its risks accepted, and its number linked by a rehearsal server. */
import { expect } from 'vitest';
import type { App } from '../../../src/app.ts';
import type { LinkMethod } from '../../../src/channels/chat-qr/driver/protocol.ts';
import type { LinkStep } from '../../../src/channels/session.ts';
import { unlinkConnection } from '../../../src/modules/chat-sessions/linking/link-connection.ts';
import { type GraphqlAnswer, OPERATOR_TOKEN } from '../app.ts';
import { resultsOf } from '../graphql/event-stream.ts';
import { OPERATOR } from '../services.ts';
import type { PairingPeer } from './pairing-peer.ts';

/** A gateway that answers GraphQL, in this process or in another. */
export interface Asking {
  graphql<Data>(
    query: string,
    call: { readonly token: string; readonly variables: Record<string, unknown> },
  ): Promise<Pick<GraphqlAnswer<Data>, 'data' | 'errors'>>;
}

/** Connects a number of an account; null: it is shared. Answers the id of the connection. */
export async function connectNumber(on: Asking, accountId: string | null, config: object): Promise<string> {
  const input = { accountId, provider: 'chat-qr', channel: 'CHAT_QR', name: 'Linked', config };
  const { data, errors } = await on.graphql<{ made: { connectionId: string } }>(
    'mutation ($input: CreateConnectionInput!) { made: createConnection(input: $input) { connectionId } }',
    { token: OPERATOR_TOKEN, variables: { input } },
  );
  expect(errors).toBeNull();
  return data?.made.connectionId ?? '';
}

/** Accepts the risks of a number. */
export async function acceptRisks(on: Asking, connectionId: string, name = 'Ada Lovelace'): Promise<void> {
  const { errors } = await on.graphql(
    'mutation ($input: AcceptChatRisksInput!) { acceptChatRisks(input: $input) { connectionId } }',
    { token: OPERATOR_TOKEN, variables: { input: { connectionId, name } } },
  );
  expect(errors).toBeNull();
}

/** Ends the link of a number. */
export async function unlinkNumber(
  { app }: { readonly app: Pick<App, 'makeCtx'> },
  connectionId: string,
): Promise<void> {
  await unlinkConnection(app.makeCtx(OPERATOR, 'test'), connectionId);
}

/** A step of a link, as GraphQL tells it. */
export interface ToldStep {
  readonly state: 'CODE' | 'LINKED' | 'FAILED';
  readonly code: string | null;
  readonly picture: string | null;
  readonly secondsLeft: number | null;
  readonly error: string | null;
}

/** Follows a link as a client does. */
export async function* followLink(
  app: Pick<App, 'fetch'>,
  connectionId: string,
  method: LinkMethod,
): AsyncGenerator<ToldStep, void> {
  const query = `subscription ($connectionId: String!, $method: LinkMethod!) {
    linkConnection(connectionId: $connectionId, method: $method) { state code picture secondsLeft error }
  }`;
  const response = await app.fetch(
    new Request('http://gateway.test/graphql', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query, variables: { connectionId, method } }),
    }),
  );
  for await (const result of resultsOf(response)) {
    const { data, errors } = result as { data?: { linkConnection: ToldStep }; errors?: unknown };
    if (!data) throw new Error(JSON.stringify(errors));
    yield data.linkConnection;
  }
}

/** Links a number by a code that its phone scans or types, and answers the steps. */
export async function linkNumber(
  app: Pick<App, 'fetch'>,
  peer: PairingPeer,
  connectionId: string,
  number: string,
  method: LinkMethod = 'QR',
): Promise<ToldStep[]> {
  const steps: ToldStep[] = [];
  for await (const step of followLink(app, connectionId, method)) {
    steps.push(step);
    if (step.code === null) continue;
    if (method === 'QR') peer.scan(number, step.code);
    else await peer.type(number, step.code);
  }
  return steps;
}

/** The last step of a link. */
export const lastOf = (steps: readonly (ToldStep | LinkStep)[]): string | undefined => steps.at(-1)?.state;
