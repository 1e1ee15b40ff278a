import { createHash, createHmac } from 'node:crypto';
import type { ProviderDefinition, Receipt, ReportRequest } from '../../src/channels/contract.ts';
import { httpSms } from '../../src/channels/http-sms/provider.ts';
import { twilio } from '../../src/channels/twilio/provider.ts';
import { vonage } from '../../src/channels/vonage/provider.ts';
import { GATEWAY_USER, gatewayConfig, gatewayProtocol } from '../support/providers/gateway-peer.ts';
import { HttpPeer, MISDEEDS, type Protocol, RECEIPTS_URL, SERVICES } from '../support/providers/http-peer.ts';
import { TWILIO_ACCOUNT, twilioProtocol } from '../support/providers/twilio-peer.ts';
import { VONAGE_ACCOUNT, vonageProtocol } from '../support/providers/vonage-peer.ts';
import type { ProviderHarness, Written } from './provider-harness.ts';
import { describeProvider } from './provider-suite.ts';

/** The address of what people write. */
const INBOUND_URL = `${RECEIPTS_URL}/inbound`;

/** How a provider words a status, by the statuses that it can report. */
type Words = Partial<Readonly<Record<Receipt['status'], string>>>;

interface Other<Config> {
  readonly definition: ProviderDefinition<Config>;
  readonly protocol: Protocol;
  readonly secrets: readonly string[];
  readonly words: Words;
  configOf(origin: string): Readonly<Record<string, unknown>>;
  /** The part of the config that is wrong in its credentials. */
  readonly wrong: Readonly<Record<string, unknown>>;
  report(providerMessageId: string, word: string): ReportRequest;
  inbound(message: Written): ReportRequest;
}

/** A provider with its own server. */
function describeHttp<Config>(other: Other<Config>): void {
  const { definition, protocol, secrets, words } = other;
  describeProvider(definition.id, async (): Promise<ProviderHarness> => {
    const peer = await new HttpPeer(protocol).open();
    const config = other.configOf(peer.origin);
    const provider = definition.create(definition.configSchema.parse(config), SERVICES);
    const report = (id: string, status: Receipt['status']) => other.report(id, words[status] ?? '');
    return {
      definition,
      config,
      secrets,
      provider,
      prepare: treatment => peer.prepare(treatment),
      probing: {
        probe: (given, signal) => definition.probe(definition.configSchema.parse(given), SERVICES, signal),
        wrong: { ...config, ...other.wrong },
        at: (host, port) => other.configOf(`http://${host}:${port}`),
        stayDeaf: () => peer.say(MISDEEDS['stays silent']),
        texts: () => peer.received.filter(received => protocol.recipientOf(received) !== '').length,
      },
      statuses: Object.keys(words) as Receipt['status'][],
      report,
      inbound: message => other.inbound(message),
      receipt(id, status) {
        const [read] = provider.reportsOf?.(report(id, status)) ?? [];
        if (typeof read !== 'object') throw new Error(`${definition.id} did not read its own report of ${status}`);
        return { ...read, provider: definition.id };
      },
      async close() {
        await peer.close();
        await provider.close?.();
      },
    };
  });
}

describeHttp({
  definition: httpSms,
  protocol: gatewayProtocol,
  secrets: [GATEWAY_USER.password],
  wrong: { secrets: { password: 'another one' } },
  words: { sent: '8', delivered: '1', failed: '2', expired: '34' },
  configOf(origin) {
    const config = gatewayConfig(origin);
    const inbound = { from: 'query:from', to: 'query:to', text: 'query:text', messageId: 'query:id' };
    return { ...config, receipt: { ...config.receipt, messageId: 'query:id' }, inbound };
  },
  report: (id, word) => asked(RECEIPTS_URL, { id, status: word }),
  inbound: message => asked(INBOUND_URL, { ...message }),
});

function asked(url: string, query: Record<string, string>): ReportRequest {
  return { method: 'GET', url: `${url}?${new URLSearchParams(query)}`, headers: {}, body: Buffer.alloc(0) };
}

describeHttp({
  definition: twilio,
  protocol: twilioProtocol,
  secrets: [TWILIO_ACCOUNT.authToken],
  wrong: { authToken: 'another-one' },
  words: { sent: 'sent', delivered: 'delivered', read: 'read', failed: 'undelivered' },
  configOf: baseUrl => ({ ...TWILIO_ACCOUNT, baseUrl }),
  report: (id, word) => signedByTwilio(RECEIPTS_URL, { MessageSid: id, MessageStatus: word }),
  inbound: ({ id, from, to, text }) =>
    signedByTwilio(INBOUND_URL, { MessageSid: id, From: `+${from}`, To: `+${to}`, Body: text, NumMedia: '0' }),
});

function signedByTwilio(url: string, form: Record<string, string>): ReportRequest {
  const names = Object.keys(form).sort();
  const signed = `${url}${names.map(name => `${name}${form[name]}`).join('')}`;
  const signature = createHmac('sha1', TWILIO_ACCOUNT.authToken).update(signed).digest('base64');
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature },
    body: Buffer.from(new URLSearchParams(form).toString()),
  };
}

const SIGNATURE_SECRET = 'a-signature-secret-of-vonage-4b227777';

describeHttp({
  definition: vonage,
  protocol: vonageProtocol,
  secrets: [VONAGE_ACCOUNT.apiSecret, SIGNATURE_SECRET],
  wrong: { apiSecret: 'another-one' },
  words: { sent: 'buffered', delivered: 'delivered', failed: 'rejected', expired: 'expired' },
  configOf: baseUrl => ({ ...VONAGE_ACCOUNT, signatureSecret: SIGNATURE_SECRET, baseUrl }),
  report: (messageId, status) => signedByVonage(RECEIPTS_URL, { messageId, status, 'err-code': '0' }),
  inbound: ({ id, from, to, text }) =>
    signedByVonage(INBOUND_URL, { messageId: id, msisdn: from, to, text, type: 'text', keyword: 'YES' }),
});

function signedByVonage(url: string, said: object): ReportRequest {
  const body = JSON.stringify(said);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iat: Math.floor(Date.now() / 1_000),
    payload_hash: createHash('sha256').update(body).digest('hex'),
  };
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  const signature = createHmac('sha256', SIGNATURE_SECRET).update(signed).digest('base64url');
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${signed}.${signature}` },
    body: Buffer.from(body),
  };
}
