/**
 * A fake Graph API in a process of its own, for tests that count by time: whatever the test does meanwhile, requests are counted when they come. It is given
 * its rates as JSON, says the config of a connection when it listens, and answers each message by what it has got.
 */
import { HELLO_TEMPLATE } from '../whatsapp/defaults.ts';
import { Graph } from '../whatsapp/graph.ts';
import type { GraphRates } from '../whatsapp/options.ts';

/** The counts of messages. */
export interface Got {
  /** How many were asked for, whatever became of them. */
  readonly asked: number;
  readonly taken: number;
}

const rates: GraphRates = JSON.parse(process.argv[2] ?? '{}');
const graph = await new Graph({ rates, templates: [HELLO_TEMPLATE] }).open();
const [number] = graph.numbers;
const { appSecret, verifyToken, url: baseUrl } = graph;
process.send?.({
  ...{ phoneNumberId: number?.phoneNumberId, accessToken: number?.accessToken },
  ...{ businessAccountId: number?.businessAccountId, appSecret, verifyToken, baseUrl },
});
process.on('message', () => {
  const asked = graph.requests.filter(({ method }) => method === 'POST').length;
  process.send?.({ asked, taken: graph.sent.length } satisfies Got);
});
// It ends with its test.
process.on('disconnect', () => process.exit(0));
