/**
 * A fake Graph API in a process of its own, so that a busy test does not delay the counting of requests. The process takes its rates as
 * JSON, sends the config of a connection when it listens, and answers each message with its counts.
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
// The process ends with its test.
process.on('disconnect', () => process.exit(0));
