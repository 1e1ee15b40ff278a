/** Traces by the SDK of OpenTelemetry, sent to a collector by OTLP over HTTP. Imported where traces are on, and nowhere else. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOT_CONTEXT, type Span, type SpanContext, SpanKind, type SpanOptions, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { VERSION } from '../../kernel/process/version.ts';
import type { Logger } from '../logger.ts';
import { ToldExporter } from './told-exporter.ts';
import { ownAttributes, type SpanFacts, type TraceSettings, type Traces } from './traces.ts';

/** How long a stop waits for the collector: a part of the time that a stop has. */
const STOP_MS = 3_000;

/** Batches of 512 spans that are under way. The processor begins another one after each that failed, so a collector that hangs would hold ever more. */
const EXPORTS_MAX = 2;

/** Opens the traces of a process. Headers, time-outs, certificates and the resource are read from the standard variables by the SDK. */
export function openTraces(settings: TraceSettings, log: Logger): Traces {
  const url = `${settings.endpoint}/v1/traces`;
  const exporter = new ToldExporter(new OTLPTraceExporter({ url, concurrencyLimit: EXPORTS_MAX }), log);
  const ids = new Ids();
  const sampler = samplerOf(settings);
  const own = { 'service.name': 'heliograph', 'service.version': VERSION, 'service.instance.id': randomUUID() };
  const provider = new TracerProvider({
    sampler,
    idGenerator: ids,
    // The operator's words go first.
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer('heliograph', VERSION);
  const spans = new WeakMap<object, Span>();

  const optionsOf = ({ attributes, own = {}, isCall, request = {} }: SpanFacts): SpanOptions => {
    const cause = spans.get(request);
    return {
      attributes: { ...attributes, ...ownAttributes(own) },
      kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL,
      links: cause ? [{ context: cause.spanContext() }] : [],
    };
  };
  const within = (parent: SpanContext | null) => (parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
  // By the id alone, so that every process decides alike whether it keeps the trace of a send.
  const isKept = (traceId: string): boolean =>
    sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED;
  const placeOf = (sendId: string): SpanContext => {
    const place = rootOf(sendId);
    return { ...place, traceFlags: isKept(place.traceId) ? 1 : 0, isRemote: true };
  };
  return {
    get isFailing() {
      return exporter.isFailing;
    },
    beginRequest(request, route) {
      const { method } = request;
      const attributes = { 'http.request.method': method, 'http.route': route };
      const parent = readTraceparent(request.headers.get('traceparent'));
      const options = { kind: SpanKind.SERVER, attributes };
      const span = tracer.startSpan(`${method} ${route}`, options, within(parent));
      spans.set(request, span);
      return span;
    },
    join(request, facts) {
      const span = spans.get(request);
      if (span) spans.set(facts, span);
    },
    spanOf: request => spans.get(request),
    beginSend(sendId, name, facts) {
      const span = ids.as(rootOf(sendId), () => tracer.startSpan(name, optionsOf(facts), ROOT_CONTEXT));
      // From either one the other is found.
      spans.get(facts.request ?? {})?.addLink({ context: span.spanContext() });
      return span;
    },
    begin: (sendId, name, facts = {}) =>
      tracer.startSpan(name, optionsOf(facts), within(sendId === null ? null : placeOf(sendId))),
    async stop() {
      // The log has said by then that the collector takes nothing.
      const handedOver = provider.shutdown().catch(() => undefined);
      await Promise.race([handedOver, wait(STOP_MS, undefined, { ref: false })]);
    },
  };
}

/** Random ids, but for spans that are given theirs. */
class Ids implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: RootIds | null = null;

  generateTraceId = (): string => this.#given?.traceId ?? this.#random.generateTraceId();
  generateSpanId = (): string => this.#given?.spanId ?? this.#random.generateSpanId();

  /** Begins a span with these ids. */
  as(given: RootIds, begin: () => Span): Span {
    this.#given = given;
    const span = begin();
    this.#given = null;
    return span;
  }
}

type RootIds = Pick<SpanContext, 'traceId' | 'spanId'>;

/** The hex digits of an id, and of its random half, which are never all 0. */
const ID_HEX = 32;
const HALF_HEX = 16;

/** The ids of the span that a send's trace begins with: the trace has the id of the send without its prefix. */
function rootOf(sendId: string): RootIds {
  const traceId = sendId.replaceAll('-', '').slice(-ID_HEX);
  return { traceId, spanId: traceId.slice(HALF_HEX) };
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** The caller's span, as W3C's Trace Context writes it; null: none, or not written so. */
function readTraceparent(header: string | null): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header?.trim() ?? '') ?? [];
  if (!traceId || !spanId || !flags) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

/** The sampler of the settings. The SDK reads no variable for it. */
function samplerOf({ sampler, ratio }: TraceSettings): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
