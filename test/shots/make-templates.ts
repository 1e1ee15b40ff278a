/** A cloud number whose provider knows templates: one for passcodes, and some that may or may not be sent. */
import { GRAPH_NUMBER, HELLO_TEMPLATE, OTP_TEMPLATE } from '../support/whatsapp/defaults.ts';
import { Graph } from '../support/whatsapp/graph.ts';
import type { RunningDemo } from './start-demo.ts';

/** Connects the demo account to a fake of Meta's, whose templates are asked for. Close it when the pictures are taken. */
export async function makeTemplates(demo: RunningDemo): Promise<Graph> {
  const graph = await new Graph({
    templates: [
      OTP_TEMPLATE,
      HELLO_TEMPLATE,
      { ...HELLO_TEMPLATE, name: 'price_list', language: 'en_US', status: 'PAUSED' },
      { ...HELLO_TEMPLATE, name: 'black_friday', category: 'MARKETING', status: 'PENDING' },
      {
        ...HELLO_TEMPLATE,
        ...{ name: 'win_a_phone', category: 'MARKETING', status: 'REJECTED', rejectedReason: 'ABUSIVE_CONTENT' },
      },
    ],
  }).open();
  const { phoneNumberId, accessToken, businessAccountId } = GRAPH_NUMBER;
  const { appSecret, verifyToken, url: baseUrl } = graph;
  const { connectionId } = await demo.operate<{ connectionId: string }>(
    'mutation ($input: CreateConnectionInput!) { result: createConnection(input: $input) { connectionId } }',
    {
      ...{ accountId: demo.accountId, provider: 'whatsapp-cloud', channel: 'CHAT_CLOUD', name: 'Cloud number' },
      config: { phoneNumberId, accessToken, businessAccountId, appSecret, verifyToken, baseUrl },
    },
  );
  const sync = 'mutation ($input: String!) { result: syncTemplates(connectionId: $input) { result } }';
  await demo.operate(sync, connectionId);
  return graph;
}
