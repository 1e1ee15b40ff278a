import type { Receipt } from '../../src/channels/contract.ts';
import { decodePdu } from '../../src/channels/smpp/codec/pdu.ts';
import { smpp } from '../../src/channels/smpp/provider.ts';
import { type Delivery, readReceipt } from '../../src/channels/smpp/receipt.ts';
import { RECEIPTS_URL } from '../support/providers/http-peer.ts';
import { NO_SESSION } from '../support/providers/no-session.ts';
import { answerTo, ID, obliging, receipt, type Script, startScriptedSmsc } from '../support/smpp/scripted-smsc.ts';
import type { Behaviour, ProviderHarness } from './provider-harness.ts';
import { describeProvider } from './provider-suite.ts';

/** The words of an SMSC in its receipts, by the statuses that it can report. */
const WORDS: Partial<Readonly<Record<Receipt['status'], string>>> = {
  sent: 'ACCEPTD',
  delivered: 'DELIVRD',
  failed: 'UNDELIV',
  expired: 'EXPIRED',
};

const RECIPIENTS: Readonly<Record<Behaviour, string>> = {
  accept: '491701234560',
  reject: '491701234561',
  'throttle once': '491701234562',
  'stay silent': '491701234563',
  break: '491701234564',
};

const STATUS = { invalidDestination: 0x0b, invalidPassword: 0x0e, throttled: 0x58 } as const;

/** Refuses binds with another password. */
function byPassword(isDeaf: () => boolean): Script {
  const usual = obliging();
  return (heard, connection) => {
    if (isDeaf()) return;
    if (heard.body.toString('latin1').includes(PASSWORD)) usual(heard, connection);
    else connection.write(answerTo(heard, '\0', STATUS.invalidPassword));
  };
}

/** Answers submits by their recipient. */
function byRecipient(): Script {
  const usual = obliging();
  let throttled = 0;
  return (heard, connection) => {
    const text = heard.body.toString('latin1');
    const behaviour = (Object.keys(RECIPIENTS) as Behaviour[]).find(one => text.includes(RECIPIENTS[one]));
    if (behaviour === 'reject') return connection.write(answerTo(heard, '\0', STATUS.invalidDestination));
    if (behaviour === 'throttle once' && throttled++ === 0)
      return connection.write(answerTo(heard, '\0', STATUS.throttled));
    if (behaviour === 'break') return void connection.socket.destroy();
    if (behaviour !== 'stay silent') usual(heard, connection);
  };
}

const PASSWORD = 's3cretpw';

describeProvider('smpp', async (): Promise<ProviderHarness> => {
  let isDeaf = false;
  const smsc = await startScriptedSmsc({ [ID.submit]: byRecipient(), [ID.bind]: byPassword(() => isDeaf) });
  const bound = Promise.withResolvers<void>();
  const config = { host: '127.0.0.1', port: smsc.port, systemId: 'gateway', password: PASSWORD, window: 100 };
  const provider = smpp.create(smpp.configSchema.parse(config), {
    ...NO_SESSION,
    receiptsUrl: RECEIPTS_URL,
    userAgent: 'Heliograph/1.0.0',
    receive: async () => undefined,
    hear: async () => undefined,
    onLink: ({ isUp }) => isUp && bound.resolve(),
  });
  provider.open?.();
  await bound.promise;
  return {
    definition: smpp,
    config,
    secrets: [PASSWORD],
    provider,
    prepare: behaviour => RECIPIENTS[behaviour],
    probing: {
      probe: (given, signal) =>
        smpp.probe(smpp.configSchema.parse(given), { userAgent: 'Heliograph/1.0.0', ...NO_SESSION }, signal),
      wrong: { ...config, password: 'another' },
      at: (host, port) => ({ ...config, host, port }),
      stayDeaf: () => {
        isDeaf = true;
      },
      texts: () => smsc.connections.flatMap(({ heard }) => heard).filter(({ id }) => id === ID.submit).length,
    },
    statuses: Object.keys(WORDS) as Receipt['status'][],
    receipt(id, status) {
      const read = readReceipt(decodePdu(receipt(1, id, WORDS[status])) as Delivery, 'same');
      if (!read) throw new Error(`the receipt of ${status} was not read`);
      return { ...read, provider: 'smpp' };
    },
    async close() {
      await provider.close?.();
      await smsc[Symbol.asyncDispose]();
    },
  };
});
