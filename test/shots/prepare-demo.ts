/** A gateway whose demo account has a week behind it. */
import { openHttpGateway } from '../support/connections/http-gateway.ts';
import { startReceiver } from '../support/webhooks/receiver.ts';
import { asker, fillDemo } from './fill-demo.ts';
import { makeTemplates } from './make-templates.ts';
import { invite } from './people.ts';
import { peopleWrite } from './people-write.ts';
import type { Things } from './pictures.ts';
import { spreadTimes } from './spread-times.ts';
import { type RunningDemo, startDemo } from './start-demo.ts';

/** Of so many deliveries one is answered by an error, and tried again. */
const FAILS_EVERY = 9;

/** Until receipts have come and deliveries have ended. */
const QUIET_MS = 4_000;

/** The demo that stands ready for the pictures. */
export interface Prepared {
  readonly demo: RunningDemo;
  readonly things: Things;
  close(): Promise<void>;
}

/** Fills an empty data directory, and starts a gateway on it. */
export async function prepareDemo(dataDir: string): Promise<Prepared> {
  const orders = await startReceiver((_request, response, nth) => {
    if (nth % FAILS_EVERY === 0) response.writeHead(503).end('{"error":"the database of orders is busy"}');
    else response.end('{"taken":true}');
  });
  const gone = await startReceiver((_request, response) => response.writeHead(410).end());
  const busy = await startReceiver((_request, response) => response.writeHead(500).end('{"error":"out of memory"}'));
  const carrier = await openHttpGateway();
  const first = await startDemo(dataDir);
  const endpointId = await makeEndpoint(first, orders.url, 'Orders', [
    'message.sent',
    'message.failed',
    'otp.verified',
  ]);
  const ages = await fillDemo(first);
  await peopleWrite(first);
  const disabledEndpointId = await makeEndpoint(first, gone.url, 'The old shop', ['message.sent']);
  const failingEndpointId = await makeEndpoint(first, busy.url, 'Stock', ['message.sent']);
  await asker(first)('unified', '/api/omni/send', {
    to: '+12025550100',
    text: 'Your parcel is here.',
    channels: ['sms'],
    sender: 'DEMO',
  });
  await quiet(() => orders.received.length + gone.received.length + busy.received.length);
  await first.stop();
  await spreadTimes(dataDir, ages);
  const demo = await startDemo(dataDir);
  const connectionId = await makeConnections(demo, carrier.config);
  for (const name of ['SHOP', 'Parcels'])
    await demo.operate('mutation ($input: SenderInput!) { result: addSender(input: $input) { id } }', {
      accountId: demo.accountId,
      name,
    });
  const graph = await makeTemplates(demo);
  await makeAlertRules(demo, gone.url);
  await makeReplies(demo);
  return {
    demo,
    things: {
      invitation: await invite(demo, demo.accountId),
      endpointId,
      disabledEndpointId,
      failingEndpointId,
      connectionId,
    },
    close: async () => {
      await demo.stop();
      await Promise.all([orders.close(), gone.close(), busy.close(), carrier.close(), graph.close()]);
    },
  };
}

async function makeEndpoint(demo: RunningDemo, url: string, description: string, events: readonly string[]) {
  const query = `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { endpoint { endpointId } } }`;
  const { data } = await asker(demo)('management', '/graphql', {
    query,
    variables: { input: { url, description, events } },
  });
  const made = data?.createWebhookEndpoint as unknown as { endpoint: { endpointId: string } };
  return made.endpoint.endpointId;
}

/** Rules of which some have told already: an endpoint is disabled, and the credits are few. */
async function makeAlertRules(demo: RunningDemo, slackUrl: string): Promise<void> {
  const query = 'mutation ($input: CreateAlertRuleInput!) { createAlertRule(input: $input) { id } }';
  for (const input of [
    { kind: 'ENDPOINT_FAILING', lastingMinutes: 0, slackUrl },
    { kind: 'CONNECTION_DOWN' },
    { kind: 'BALANCE_LOW', threshold: 5_000 },
    { kind: 'CONVERSION_LOW' },
  ])
    await asker(demo)('management', '/graphql', { query, variables: { input } });
}

/** Answers to keywords, with a template and without, and a word that stops. */
async function makeReplies(demo: RunningDemo): Promise<void> {
  const query = 'mutation ($input: SetAutoReplyInput!) { setAutoReply(input: $input) { keyword } }';
  for (const input of [
    { keyword: 'hours', text: 'We are open from 9 to 18, on Saturdays from 10 to 14.' },
    { keyword: 'price', text: 'See our list.', cloudTemplate: { name: 'price_list', language: 'en_US' } },
    { keyword: 'basta', text: 'Enough?' },
  ])
    await asker(demo)('management', '/graphql', { query, variables: { input } });
  const stop =
    'mutation { updateOptOutSettings(input: { stopWords: ["basta"], stopText: "You get no more messages of ours." }) { stopsOtps } }';
  await asker(demo)('management', '/graphql', { query: stop });
}

/** Two that work and one that is down, after everything was sent: before, it would have gone by them. */
async function makeConnections(demo: RunningDemo, config: object): Promise<string> {
  const create = (name: string, priority: number, countries?: readonly string[]) =>
    demo.operate<{ connectionId: string }>(
      'mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { connectionId } }',
      { accountId: demo.accountId, provider: 'http-sms', channel: 'SMS', name, priority, config, countries },
    );
  const { connectionId } = await create('Main carrier', 10, ['US', 'CA']);
  await create('Europe', 20, ['GB', 'FR', 'SE', 'DE']);
  await demo.operate('mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { id } }', {
    ...{ accountId: demo.accountId, provider: 'smpp', channel: 'SMS', name: 'Old carrier', priority: 90 },
    config: { host: 'smsc.carrier.invalid', port: 2775, systemId: 'gateway', password: 'secret' },
  });
  return connectionId;
}

/** Waits until nothing has been counted for a while. */
async function quiet(count: () => number): Promise<void> {
  for (let seen = -1; seen !== count(); ) {
    seen = count();
    await new Promise(resolve => setTimeout(resolve, QUIET_MS));
  }
}
