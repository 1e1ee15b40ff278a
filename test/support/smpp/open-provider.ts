/** The provider `smpp` as the gateway has it: created from a config that was checked, with what it tells kept for a test. */
import type { Inbound, LinkState, Provider, Report, SendRequest } from '../../../src/channels/contract.ts';
import type { SendOutcome } from '../../../src/channels/outcome.ts';
import { smpp } from '../../../src/channels/smpp/provider.ts';
import { NO_SESSION } from '../providers/no-session.ts';
import { Watched } from './watched.ts';

/** An SMSC of these tests, as a config. */
export interface ConfigInput {
  readonly port: number;
  readonly [member: string]: unknown;
}

/** A provider that is open until it is disposed of. */
export interface OpenProvider extends AsyncDisposable {
  readonly provider: Provider;
  /** The groups of reports that it handed over, in order; those that `receive` refused too. */
  readonly groups: (readonly Report[])[];
  /** The states of its link as it told them, in order. */
  readonly links: LinkState[];
  /** Waits until it tells that it hears nothing; answers why. */
  deaf(): Promise<string>;
  /** Sends a text; what is not given is usual. */
  send(request?: Partial<SendRequest>, signal?: AbortSignal): Promise<SendOutcome>;
  /** Waits until the link is up, or down. Once the provider is disposed of the wait never ends, so that a failed test comes to rest. */
  link(isUp: boolean): Promise<LinkState>;
  /** Waits until so many reports were handed over; answers all. */
  reported(count: number): Promise<Report[]>;
}

/** Opens a provider towards an SMSC of this machine. `receive` stores the reports, and `hear` what people write, or rejects. */
export function openProvider(
  config: ConfigInput,
  receive: (reports: readonly Report[]) => Promise<void> = async () => undefined,
  hear: (messages: readonly Inbound[]) => Promise<void> = async () => undefined,
): OpenProvider {
  const groups: (readonly Report[])[] = [];
  const links: LinkState[] = [];
  const deaf: string[] = [];
  const told = new Watched();
  let attempts = 0;
  let isDisposed = false;
  const usual = { host: '127.0.0.1', systemId: 'gateway', password: 'secret' };
  const provider = smpp.create(smpp.configSchema.parse({ ...usual, ...config }), {
    ...NO_SESSION,
    receiptsUrl: 'http://127.0.0.1/receipts/con_1/token',
    userAgent: 'Heliograph/1.0.0',
    receive(reports) {
      groups.push(reports);
      told.touch();
      return receive(reports);
    },
    hear,
    onLink(state) {
      links.push(state);
      told.touch();
    },
    onDeaf(error) {
      deaf.push(error);
      told.touch();
    },
  });
  provider.open?.();
  return {
    provider,
    groups,
    links,
    deaf: () => told.until(() => deaf.at(-1) ?? null),
    send: (request = {}, signal = new AbortController().signal) =>
      provider.send({ ...USUAL_REQUEST, attemptId: `att_${++attempts}`, ...request }, signal),
    link: isUp =>
      told.until(() => {
        const latest = links.at(-1);
        return !isDisposed && latest?.isUp === isUp ? latest : null;
      }),
    reported: count => told.until(() => (groups.flat().length >= count ? groups.flat() : null)),
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await provider.close?.();
    },
  };
}

/** A text of which only its differences matter to a test. */
export const USUAL_REQUEST: SendRequest = {
  attemptId: 'att_0',
  accountId: 'acc_1',
  channel: 'sms',
  to: '491701234560',
  from: 'ACME',
  text: 'Hello',
  template: null,
  validitySeconds: null,
  tryNumber: 1,
};
