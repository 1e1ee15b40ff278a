import { describe } from 'vitest';
import { driverOf } from '../../src/channels/chat-qr/driver-process.ts';
import { ChatNumber, LINK_TIMES } from '../../src/channels/chat-qr/number.ts';
import { chatQr } from '../../src/channels/chat-qr/provider.ts';
import { reportOf } from '../../src/channels/chat-qr/reports.ts';
import type { Receipt } from '../../src/channels/contract.ts';
import type { SessionHost } from '../../src/channels/session.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type PairingPeer, startPairingPeer } from '../support/chat-qr/pairing-peer.ts';
import { BAILEYS_DIR, missingLibrary } from '../support/chat-qr/peer-library.ts';
import { newNumber } from '../support/chat-qr/set-up-numbers.ts';
import { oncePerFile } from '../support/fixtures.ts';
import { RECEIPTS_URL } from '../support/providers/http-peer.ts';
import { Watched } from '../support/smpp/watched.ts';
import type { Behaviour, ProviderHarness } from './provider-harness.ts';
import { describeProvider } from './provider-suite.ts';

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const;

/** A number that is linked, with its keys in memory. */
interface Linked {
  readonly peer: PairingPeer;
  readonly number: string;
  readonly of: ChatNumber;
  /** Breaks its socket. */
  break(): void;
  /** Resolves when it takes texts, after a test broke its socket too. */
  opened(): Promise<unknown>;
}

/** Links a number of a rehearsal server. */
async function link(): Promise<Linked> {
  const peer = await startPairingPeer();
  Object.assign(process.env, peer.env);
  const number = newNumber();
  const keys = new Map<string, string>();
  const state = new Watched();
  let isOpen = false;
  const loginsOf = () => peer.logins.get(number) ?? 0;
  let logins = 0;
  const opened = async () => {
    await peer.until(() => (loginsOf() >= logins ? true : null));
    await state.until(() => (isOpen ? true : null));
  };
  const host: SessionHost = {
    async get(kind, ids) {
      const found = ids.map(id => [id, keys.get(`${kind}/${id}`)] as const);
      return Object.fromEntries(found.flatMap(([id, value]) => (value === undefined ? [] : [[id, value]])));
    },
    async keep(rows) {
      for (const [kind, id, value] of rows)
        if (value === null) keys.delete(`${kind}/${id}`);
        else keys.set(`${kind}/${id}`, value);
    },
    onChange(change) {
      if (change.kind === 'code') peer.scan(number, change.code);
      isOpen = change.kind === 'open';
      state.touch();
    },
  };
  const services = { receive: async () => undefined, hear: async () => undefined };
  const parts = {
    connectionId: newId('con'),
    number,
    times: LINK_TIMES,
    driver: driverOf(BAILEYS_DIR),
    services,
    host,
  };
  const of = new ChatNumber(parts, { creds: null, link: 'QR', leaseMs: 600_000 });
  await opened();
  const breakIt = (): void => {
    logins = loginsOf() + 1;
    peer.close(number, 428);
  };
  return { peer, number, of, break: breakIt, opened };
}

describe.skipIf(missingLibrary() !== null)('by a rehearsal server', () => {
  const linked = oncePerFile(link, async ({ peer, of }) => {
    await of.end(false);
    for (const name of Object.keys(peer.env)) delete process.env[name];
    await peer[Symbol.asyncDispose]();
  });

  describeProvider('chat-qr', async (): Promise<ProviderHarness> => {
    const { peer, number, of } = linked;
    await linked.opened();
    const config = { number };
    const provider = chatQr.create(chatQr.configSchema.parse(config), {
      connectionId: newId('con'),
      receiptsUrl: RECEIPTS_URL,
      chatQrDir: BAILEYS_DIR,
      userAgent: 'Heliograph/1.0.0',
      receive: async () => undefined,
      hear: async () => undefined,
      onLink: () => undefined,
      onDeaf: () => undefined,
      bySession: ({ attemptId, to, text }, signal) =>
        of.send({ attemptId, to: { number: to, userId: null }, text, isKnown: false }, signal),
    });
    const prepare: Readonly<Record<Behaviour, (to: string) => string | null>> = {
      accept: to => to,
      reject(to) {
        peer.makeAbsent(to);
        return to;
      },
      // The pace of a number is the gateway's, and has tests of its own.
      'throttle once': () => null,
      'stay silent'(to) {
        peer.acknowledge(to, 'no');
        return to;
      },
      break(to) {
        peer.acknowledge(to, 'no');
        void peer.until(() => peer.messages.find(message => message.to === to) ?? null).then(() => linked.break());
        return to;
      },
    };
    return {
      definition: chatQr,
      config,
      secrets: [],
      provider,
      prepare: behaviour => prepare[behaviour](newNumber()),
      // There are no credentials to try: the phone is linked afterwards.
      probing: null,
      statuses: [...STATUSES],
      receipt(messageId, status): Receipt {
        const [report] = reportOf({ messageId, status: status as (typeof STATUSES)[number], code: null });
        if (!report) throw new Error(`the report of ${status} was not read`);
        return { ...report, provider: 'chat-qr' };
      },
    };
  });
});
