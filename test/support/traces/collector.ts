/** A collector of traces: takes OTLP over HTTP as JSON, and keeps what came. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A value of an attribute. */
type Value = string | number | boolean | readonly Value[];

/** A span as it came. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: none. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1: internal, 2: server, 3: client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, Value>>;
  /** The spans that it is linked with, as `<trace id>/<span id>`. */
  readonly links: readonly string[];
  /** 2: failed. */
  readonly status: number;
  /** The attributes of the process. */
  readonly resource: Readonly<Record<string, Value>>;
}

/** A collector that listens. */
export interface Collector {
  readonly url: string;
  /** The headers of the last request. */
  readonly headers: IncomingHttpHeaders;
  readonly spans: CollectedSpan[];
  /** Every body, as it came. */
  readonly bodies: string[];
  /** The status that it answers with from now on; null: it answers nothing. */
  status: number | null;
  /** Resolves with the first span that fits, when it has come. */
  find(fits: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  close(): Promise<void>;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly KeyValue[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

function plain(value: KeyValue['value']): Value {
  const [[kind, inner] = ['', '']] = Object.entries(value);
  if (kind === 'arrayValue') return ((inner as { values?: KeyValue['value'][] }).values ?? []).map(plain);
  return inner as Value;
}

function read(attributes: readonly KeyValue[]): Record<string, Value> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]));
}

function spansIn(body: string): CollectedSpan[] {
  const { resourceSpans }: Otlp = JSON.parse(body);
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, attributes, links = [], status }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        attributes: read(attributes),
        links: links.map(link => `${link.traceId}/${link.spanId}`),
        status: status.code ?? 0,
        resource: read(resource.attributes),
      })),
    ),
  );
}

/** Starts a collector on a port of its own. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const state: { status: number | null; headers: IncomingHttpHeaders } = { status: 200, headers: {} };
  let looks: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    state.headers = request.headers;
    const body = Buffer.concat(chunks).toString('utf8');
    bodies.push(body);
    if (state.status === 200) spans.push(...spansIn(body));
    for (const look of looks.splice(0)) look();
    if (state.status !== null) response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    async find(fits: (span: CollectedSpan) => boolean) {
      for (;;) {
        const found = spans.find(fits);
        if (found) return found;
        await new Promise<void>(resolve => looks.push(resolve));
      }
    },
    async close() {
      looks = [];
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}
