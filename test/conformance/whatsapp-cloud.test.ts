import type { Receipt, ReportRequest } from '../../src/channels/contract.ts';
import { whatsAppCloud } from '../../src/channels/whatsapp-cloud/provider.ts';
import { MISDEEDS, RECEIPTS_URL, SERVICES } from '../support/providers/http-peer.ts';
import { asReportRequest, signedCall } from '../support/whatsapp/caller.ts';
import { GRAPH_NUMBER, HELLO_TEMPLATE } from '../support/whatsapp/defaults.ts';
import { Graph } from '../support/whatsapp/graph.ts';
import { userIdOf } from '../support/whatsapp/options.ts';
import { type Change, callOf, messageChange } from '../support/whatsapp/payloads.ts';
import { DROPPED, recipientOf, SLOW, THROTTLED_ONCE } from '../support/whatsapp/rehearsals.ts';
import { text } from '../support/whatsapp/said.ts';
import { type Behaviour, type ProviderHarness, readReports } from './provider-harness.ts';
import { describeProvider } from './provider-suite.ts';

const RECIPIENTS: Readonly<Record<Behaviour, string>> = {
  accept: '4915112345678',
  reject: recipientOf(131026),
  'throttle once': THROTTLED_ONCE,
  'stay silent': SLOW,
  break: DROPPED,
};

describeProvider('whatsapp-cloud', async (): Promise<ProviderHarness> => {
  const graph = await new Graph({ windows: 'open', templates: [HELLO_TEMPLATE] }).open();
  const { phoneNumberId, businessAccountId, accessToken } = GRAPH_NUMBER;
  const { appSecret, verifyToken, url } = graph;
  const config = { phoneNumberId, businessAccountId, accessToken, appSecret, verifyToken, baseUrl: url };
  const provider = whatsAppCloud.create(whatsAppCloud.configSchema.parse(config), SERVICES);
  const call = (change: Change): ReportRequest => {
    const body = callOf({ id: businessAccountId, changes: [change] });
    return asReportRequest(RECEIPTS_URL, signedCall(appSecret, JSON.stringify(body)));
  };
  const metadata = { phone_number_id: phoneNumberId, display_phone_number: GRAPH_NUMBER.displayNumber };
  const report = (id: string, status: Receipt['status']) => {
    const stated = { id, status, timestamp: '1750030073', recipient_id: RECIPIENTS.accept };
    return call({ field: 'messages', value: { messaging_product: 'whatsapp', metadata, statuses: [stated] } });
  };
  return {
    definition: whatsAppCloud,
    config,
    secrets: [accessToken, appSecret, verifyToken],
    provider,
    prepare: behaviour => RECIPIENTS[behaviour],
    probing: {
      probe: (given, signal) => whatsAppCloud.probe(whatsAppCloud.configSchema.parse(given), SERVICES, signal),
      wrong: { ...config, accessToken: 'another-one' },
      at: (host, port) => ({ ...config, baseUrl: `http://${host}:${port}` }),
      stayDeaf: () => graph.say(MISDEEDS['stays silent']),
      texts: () => graph.sent.length,
    },
    statuses: ['sent', 'delivered', 'read', 'failed'],
    report,
    inbound: ({ id, from, to, text: body }) =>
      call(
        messageChange({ ...GRAPH_NUMBER, displayNumber: to }, { number: from, userId: userIdOf(from) }, text(body), {
          id,
          atMs: 1_750_030_073_000,
        }),
      ),
    receipt(id, status) {
      const [read] = readReports(provider, report(id, status)) ?? [];
      if (typeof read !== 'object') throw new Error(`whatsapp-cloud did not read its own report of ${status}`);
      return { ...read, provider: whatsAppCloud.id };
    },
    async close() {
      await graph.close();
      await provider.close?.();
    },
  };
});
