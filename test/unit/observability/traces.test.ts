import { describe, expect, it } from 'vitest';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { createLogger } from '../../../src/observability/logger.ts';
import { openTraces } from '../../../src/observability/traces/open-traces.ts';
import {
  logFieldsOf,
  type TraceSettings,
  type Traces,
  traceparentOf,
} from '../../../src/observability/traces/traces.ts';

/** Traces of one more process. Nothing is handed over, since no span ends. */
function open(settings: Partial<TraceSettings> = {}): Traces {
  const given = { endpoint: 'http://127.0.0.1:9', sampler: 'parentbased_always_on', ratio: 1, ...settings } as const;
  return openTraces(given, createLogger('silent'));
}

const serve = (traces: Traces, traceparent: string) =>
  traces.beginRequest(new Request('http://gateway.test/', { headers: { traceparent } }), '/');

describe('the traces of two processes', () => {
  it('agree on the trace of a send, and on the span that it begins with', () => {
    const id = newId('msg');
    const root = open().beginSend(id, 'send message', {});
    const part = open().begin(toUuid(id), 'receipt');
    expect(part.spanContext().traceId).toBe(root.spanContext().traceId);
    expect(traceparentOf(root)).toBe(`00-${id.slice(4)}-${id.slice(20)}-01`);
  });

  it('keep the same part of the sends', () => {
    const [one, other] = [
      open({ sampler: 'traceidratio', ratio: 0.5 }),
      open({ sampler: 'parentbased_traceidratio', ratio: 0.5 }),
    ];
    const ids = Array.from({ length: 400 }, () => newId('msg'));
    const kept = ids.filter(id => one.beginSend(id, 'send message', {}).isRecording());
    expect(ids.filter(id => other.begin(id, 'receipt').isRecording())).toEqual(kept);
    expect(kept.length).toBeGreaterThan(120);
    expect(kept.length).toBeLessThan(280);
  });
});

describe('the span of a request', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

  it.each([
    ['kept', '01', true],
    ['left out', '00', false],
  ])('is %s as the caller decided', (_what, flags, isRecording) => {
    const served = serve(open(), `00-${trace}-${span}-${flags}`);
    expect([served.spanContext().traceId, served.isRecording()]).toEqual([trace, isRecording]);
  });

  it.each([
    ['nothing', ''],
    ['a version that is forbidden', `ff-${trace}-${span}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${span}-01`],
    ['capital letters', `00-${trace.toUpperCase()}-${span}-01`],
    ['a number of a phone', '+12025550187'],
  ])('begins a trace where the header holds %s', (_what, traceparent) => {
    const served = serve(open(), traceparent);
    expect(served.spanContext().traceId).not.toBe(trace);
    expect(served.isRecording()).toBe(true);
  });
});

it('the log names a span as other tools do', () => {
  const span = open().begin(null, 'webhook');
  const { traceId, spanId } = span.spanContext();
  expect([logFieldsOf(span), logFieldsOf(undefined)]).toEqual([{ trace_id: traceId, span_id: spanId }, {}]);
});
