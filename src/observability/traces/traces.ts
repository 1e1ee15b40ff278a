/** Traces of a process, as the rest of the gateway sees them. Types alone: the SDK is loaded where traces are on. */
import type { Attributes, Span } from '@opentelemetry/api';
import type { SamplerName } from '../../kernel/settings/settings.ts';

export type { Span } from '@opentelemetry/api';

/** Settings of traces. */
export interface TraceSettings {
  /** The collector's address (`OTEL_EXPORTER_OTLP_ENDPOINT`), without a slash at its end. */
  readonly endpoint: string;
  readonly sampler: SamplerName;
  /** The part of the traces that is kept by a sampler of a ratio. */
  readonly ratio: number;
}

/** Attributes of our own, whose names get `heliograph.` before them. No number, no text, and no word that a caller or a provider chose. */
type OwnAttributes = Readonly<Record<string, string | number | readonly string[] | null | undefined>>;

/** Facts of a span that begins. */
export interface SpanFacts {
  /** Of the conventions of OpenTelemetry. */
  readonly attributes?: Attributes;
  readonly own?: OwnAttributes;
  /** Whether another system is asked. */
  readonly isCall?: boolean;
  /** Facts of the request that it came of (`ctx.request`), whose span is linked. */
  readonly request?: object;
}

/** The traces of a process. A send is a trace of its own, by an id that every process makes of the send's. */
export interface Traces {
  /** Whether the collector took nothing of what was sent last. */
  readonly isFailing: boolean;
  /** Begins the span of a request, in the trace that its header `traceparent` names. */
  beginRequest(request: Request, route: string): Span;
  /** Has a request's span found by its facts too. */
  join(request: Request, facts: object): void;
  /** The span of a request, or of its facts. */
  spanOf(request: object): Span | undefined;
  /** Begins the trace of a send: once in its life, by the process that accepts it. */
  beginSend(sendId: string, name: string, facts: SpanFacts): Span;
  /** Begins a part of a send, in its trace; of no send: in a trace of its own. @param sendId the id, or its uuid */
  begin(sendId: string | null, name: string, facts?: SpanFacts): Span;
  /** Hands over what has ended, for a moment. */
  stop(): Promise<void>;
}

/** Attributes of our own as a span has them. */
export function ownAttributes(own: OwnAttributes): Attributes {
  const known = Object.entries(own).filter(([, value]) => value != null);
  return Object.fromEntries(known.map(([name, value]) => [`heliograph.${name}`, value])) as Attributes;
}

/** Notes what is known of a span by its end. */
export function note(span: Span, own: OwnAttributes): void {
  span.setAttributes(ownAttributes(own));
}

/** The header `traceparent` of a span. */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** Fields by which a line of the log is found from a span. */
export function logFieldsOf(span: Span | undefined): { readonly trace_id?: string; readonly span_id?: string } {
  if (span === undefined) return {};
  const { traceId, spanId } = span.spanContext();
  return { trace_id: traceId, span_id: spanId };
}

/** `SpanStatusCode.ERROR` of the API, which is not loaded here. */
const ERROR = 2;

/** Marks a span as failed, by a word of ours. Messages of errors stay out: they may quote a number or a text. */
export function markFailed(span: Span, word: string): void {
  span.setAttribute('error.type', word).setStatus({ code: ERROR });
}
