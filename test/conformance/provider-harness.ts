/** The parts that a provider brings to the suite of every provider. */
import type {
  Probed,
  Provider,
  ProviderDefinition,
  Receipt,
  Report,
  ReportRequest,
} from '../../src/channels/contract.ts';

/** How the provider's other end may treat a message. */
export type Behaviour =
  /** Takes it. */
  | 'accept'
  /** Refuses it for good. */
  | 'reject'
  /** Says "not now" to the first hand-over and takes the second. */
  | 'throttle once'
  /** Takes longer to answer than `SILENCE_DEADLINE_MS`. */
  | 'stay silent'
  /** Breaks off in a way that the adapter does not expect. */
  | 'break';

/** A provider with its other end, as a test can drive them. */
export interface ProviderHarness {
  readonly definition: Pick<ProviderDefinition<unknown>, 'id' | 'capabilities' | 'configSchema'>;
  /** A configuration that is complete. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The values in it that are secret. */
  readonly secrets: readonly string[];
  readonly provider: Provider;
  /** Makes the other end behave so and answers the recipient, in digits, to send to. Null: the other end never does. */
  prepare(behaviour: Behaviour): Promise<string | null> | string | null;
  /** The statuses that it can report; empty: it has no receipts. */
  readonly statuses: readonly Receipt['status'][];
  /** The receipt that the provider's report of this status is read as. */
  receipt(providerMessageId: string, status: Receipt['status']): Receipt;
  /** The HTTP request by which it reports so. Absent: it reports in another way. */
  report?(providerMessageId: string, status: Receipt['status']): ReportRequest;
  /** The HTTP request by which it brings what a person wrote. Absent: it brings it in another way, or not at all. */
  inbound?(message: Written): ReportRequest;
  /** How its configurations are tried; null: nobody connects it (the sandbox). */
  readonly probing: Probing | null;
  close?(): Promise<void>;
}

/** A text that a person wrote, as a test says it. */
export interface Written {
  readonly id: string;
  /** In digits. */
  readonly from: string;
  /** In digits. */
  readonly to: string;
  readonly text: string;
}

/** How the configurations of a provider are tried without a text. */
export interface Probing {
  probe(config: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<Probed>;
  /** A configuration whose credentials are wrong. */
  readonly wrong: Readonly<Record<string, unknown>>;
  /** The configuration with another place: at a port of this machine where nothing listens, or under a name that nobody has. */
  at(host: string, port: number): Readonly<Record<string, unknown>>;
  /** From now on the other end takes what is asked, and never answers. */
  stayDeaf(): void;
  /** How many texts the other end was handed. */
  texts(): number;
}

/** Makes a harness with an other end of its own. */
export type MakeHarness = () => Promise<ProviderHarness> | ProviderHarness;

/** The reports that a provider reads in a request, by `reportsOf` or by `callbackOf`. Undefined: it does not report by HTTP. */
export function readReports(provider: Provider, request: ReportRequest): readonly Report[] | 'forged' | undefined {
  const call = provider.callbackOf?.(request);
  if (call === undefined) return provider.reportsOf?.(request);
  return call === 'forged' ? call : call.news.flatMap(({ reports }) => reports);
}

/** The messages of people that a provider reads in a request, as `readReports`. */
export function readInbound(
  provider: Provider,
  request: ReportRequest,
): ReturnType<NonNullable<Provider['inboundOf']>> | undefined {
  const call = provider.callbackOf?.(request);
  if (call === undefined) return provider.inboundOf?.(request);
  return call === 'forged' ? call : call.news.flatMap(({ messages }) => messages);
}
