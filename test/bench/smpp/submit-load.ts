/** `submit-load.ts <plan as JSON>`: submits one text over one session, a window at a time, and prints what it did as JSON. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { SendRequest } from '../../../src/channels/contract.ts';
import { Framer } from '../../../src/channels/smpp/codec/framing.ts';
import { decodePdu, encodePdu } from '../../../src/channels/smpp/codec/pdu.ts';
import { smpp } from '../../../src/channels/smpp/provider.ts';
import { submitsOf } from '../../../src/channels/smpp/submits.ts';
import { NO_SESSION } from '../../support/providers/no-session.ts';
import type { SubmitPlan, SubmitResult } from './submits.ts';

const REQUEST: SendRequest = {
  attemptId: 'att_1',
  accountId: 'acc_1',
  channel: 'sms',
  to: '4917012345678',
  from: 'ACME',
  text: 'Your verification code is 123456. It expires in 5 minutes.',
  template: null,
  validitySeconds: 300,
  tryNumber: 1,
};

/** Counts what was accepted in the measured time. */
class Count {
  #count = 0;
  #startedMs = Infinity;
  #cpu = process.cpuUsage();
  readonly #endsMs: number;
  readonly #warmMs: number;

  constructor({ warmUpSeconds, seconds }: SubmitPlan) {
    this.#warmMs = performance.now() + warmUpSeconds * 1_000;
    this.#endsMs = this.#warmMs + seconds * 1_000;
  }

  /** Counts one; false: the time is over. */
  add(): boolean {
    const nowMs = performance.now();
    if (nowMs < this.#warmMs) return true;
    if (this.#startedMs === Infinity) {
      this.#startedMs = nowMs;
      this.#cpu = process.cpuUsage();
    }
    this.#count += 1;
    return nowMs < this.#endsMs;
  }

  result(): SubmitResult {
    const { user, system } = process.cpuUsage(this.#cpu);
    const perSecond = (this.#count / (performance.now() - this.#startedMs)) * 1_000;
    return { perSecond, cpuUs: (user + system) / this.#count };
  }
}

/** The codec alone: every answer is read, and followed by the next text, encoded; nothing is waited for, timed or matched to what it answers. */
async function byCodec(plan: SubmitPlan): Promise<SubmitResult> {
  const socket = connect({ port: plan.port, host: '127.0.0.1', noDelay: true });
  const framer = new Framer();
  const { promise, resolve } = Promise.withResolvers<SubmitResult>();
  let sequence = 0;
  let isOver = false;
  await once(socket, 'connect');
  const count = new Count(plan);
  const next = (): Buffer => {
    const [{ fields, tlvs }] = submitsOf(REQUEST, 'udh8', sequence);
    return encodePdu('submit_sm', ++sequence, fields, { tlvs });
  };
  socket.on('data', bytes => {
    const pdus: Buffer[] = [];
    framer.push(bytes, pdu => {
      const answer = decodePdu(pdu);
      if (answer.command !== 'submit_sm_resp' || answer.status !== 0)
        throw new Error('the SMSC did not accept a submit');
      if (!count.add()) isOver = true;
      pdus.push(next());
    });
    if (!isOver) return void socket.write(Buffer.concat(pdus));
    resolve(count.result());
    socket.destroy();
  });
  socket.write(Buffer.concat(Array.from({ length: plan.window }, next)));
  return promise;
}

/** The provider, as the gateway calls it, by as many callers as the window has places. */
async function byProvider(plan: SubmitPlan): Promise<SubmitResult> {
  const bound = Promise.withResolvers<void>();
  const config = { host: '127.0.0.1', port: plan.port, systemId: 'bench', password: 'secret', window: plan.window };
  const provider = smpp.create(smpp.configSchema.parse(config), {
    ...NO_SESSION,
    receiptsUrl: 'http://127.0.0.1/receipts',
    userAgent: 'Heliograph/1.0.0',
    receive: async () => undefined,
    hear: async () => undefined,
    onLink: ({ isUp }) => (isUp ? bound.resolve() : bound.reject(new Error('the link is down'))),
  });
  provider.open?.();
  await bound.promise;
  const { signal } = new AbortController();
  const count = new Count(plan);
  const call = async (): Promise<void> => {
    for (let isOn = true; isOn; ) {
      const outcome = await provider.send(REQUEST, signal);
      if (outcome.kind !== 'accepted') throw new Error(`a send was ${outcome.kind}`);
      isOn = count.add();
    }
  };
  await Promise.all(Array.from({ length: plan.window }, call));
  const result = count.result();
  await provider.close?.();
  return result;
}

const plan: SubmitPlan = JSON.parse(process.argv[2] ?? '{}');
console.log(JSON.stringify(await (plan.way === 'codec' ? byCodec : byProvider)(plan)));
