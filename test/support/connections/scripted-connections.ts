/** Connections whose providers answer as a test says, in the order in which they are tried. */
import { beforeEach } from 'vitest';
import type { Provider, SendRequest } from '../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import type { Providers } from '../../../src/channels/providers.ts';
import type { Channel } from '../../../src/kernel/channel.ts';
import { newId } from '../../../src/kernel/ids.ts';

/** A scripted connection: gives the outcome of one attempt. */
export type ConnectionScript = (request: SendRequest, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;

/** One connection of a test. */
export interface ScriptedConnection {
  readonly connectionId: string;
  /** The requests that it got since the test began, in order. */
  readonly asked: SendRequest[];
  /** Lets it answer like this for the rest of the test. Unless told the connection accepts. */
  answerWith(script: ConnectionScript): void;
}

/** Outcomes after which the next connection is asked. */
export const TAKEN_OVER: readonly (readonly [what: string, outcome: SendOutcome])[] = [
  ['is unavailable', { kind: 'unavailable', code: 'connection_failed', message: 'Nobody is there.' }],
  ['is throttled', { kind: 'throttled', code: 'throttled', message: 'Too many.', retryAfterMs: 60_000 }],
  ['refuses for its own reason', { kind: 'rejected', code: 'http_403', message: 'No credit left.', isOwn: true }],
];

/** So many connections of the channels, for the tests of the file that calls this. */
export function scriptedConnections(count: number, channels: readonly Channel[] = ['sms']) {
  const all = Array.from({ length: count }, () => newConnection(channels));
  beforeEach(() => {
    for (const { reset } of all) reset();
  });
  const providers: Providers = {
    choose: ({ channel }) => (channels.includes(channel) ? all.map(({ choice }) => choice) : []),
    of: connectionId => all.find(({ connection }) => connection.connectionId === connectionId)?.choice.provider ?? null,
    passedOver: () => null,
    explain: () => ({ sentBy: 'account', considered: [] }),
    forTest: () => null,
    retryInMs: () => null,
    refresh: async () => undefined,
  };
  return { providers, connections: all.map(({ connection }) => connection) };
}

function newConnection(channels: readonly Channel[]) {
  const accept: ConnectionScript = () => ({ kind: 'accepted', providerMessageId: newId('sbx') });
  const asked: SendRequest[] = [];
  let script = accept;
  const connectionId = newId('con');
  const provider: Provider = {
    id: 'scripted',
    capabilities: { channels, receipts: 'none' },
    async send(request, signal) {
      asked.push(request);
      return script(request, signal);
    },
  };
  const connection: ScriptedConnection = {
    connectionId,
    asked,
    answerWith(wanted) {
      script = wanted;
    },
  };
  const reset = (): void => {
    asked.length = 0;
    script = accept;
  };
  return { connection, choice: { connectionId, provider }, reset };
}
