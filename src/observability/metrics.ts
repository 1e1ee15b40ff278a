/** Prometheus metrics. One registry per process, so that several processes can run in one test. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of a process. */
export type Metrics = ReturnType<typeof createMetrics>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
const ITEMS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Makes the metrics of a process. `defaults` adds those of Node itself. */
export function createMetrics(defaults = true) {
  const registry = new Registry();
  if (defaults) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const { counter, histogram, gauge } = makersFor(registers);
  return {
    registry,
    requests: counter('heliograph_requests_total', 'Answers by transport, operation and HTTP status', [
      'transport',
      'operation',
      'status',
    ]),
    requestSeconds: histogram('heliograph_request_duration_seconds', 'Time to answer by transport and operation', [
      'transport',
      'operation',
    ]),
    messages: counter('heliograph_messages_total', 'Messages by delivery mode and status at the end of their routing', [
      'delivery_mode',
      'status',
    ]),
    /** Events: how a send ended (`sent`, `failed`), or the answer of a verify (`verified`, `incorrect` …). */
    otps: counter('heliograph_otps_total', 'Sends and verifies of passcodes by area and what became of them', [
      'area',
      'event',
    ]),
    otpAlarms: counter(
      'heliograph_otp_wrong_code_alarms_total',
      'How often the wrong codes of an account reached their limit, once in a minute for each account',
    ),
    attempts: counter('heliograph_attempts_total', 'Attempts by channel, provider and status', [
      'channel',
      'provider',
      'status',
    ]),
    attemptSeconds: histogram('heliograph_attempt_duration_seconds', 'Time of an attempt by channel and provider', [
      'channel',
      'provider',
    ]),
    ...createConnectionMetrics(registers),
    /** Results: `raised`, `ignored`, `unmatched`; `dropped` is each of the unmatched that does not wait. */
    receipts: counter('heliograph_receipts_total', 'Receipts by provider and result', ['provider', 'result']),
    /** Results: `stored`; `repeated`, which had come before; `unowned`, which came to nobody's sender; `unreadable`, a call without one; `waiting`, a part whose others are missing. */
    inbound: counter('heliograph_inbound_total', 'Messages that came in, by provider and result', [
      'provider',
      'result',
    ]),
    /** Results: `delivered`, or why the try failed. */
    webhookTries: counter('heliograph_webhook_tries_total', 'Tries of webhook deliveries by result', ['result']),
    webhookTrySeconds: histogram('heliograph_webhook_try_duration_seconds', 'Time of a try of a webhook delivery'),
    webhookQuarantined: counter(
      'heliograph_webhook_quarantined_total',
      'Webhook deliveries that were given up because workers died over them',
    ),
    /** Set only in the process that ran the reconciliation. */
    ledgerFaults: gauge(
      'heliograph_ledger_faults',
      'Faults of the ledger that this process found as it reconciled it last',
    ),
    commitSize: histogram('heliograph_commit_items', 'Items of each group commit by batch', ['batch'], ITEMS),
    commitSeconds: histogram('heliograph_commit_duration_seconds', 'Time of each group commit by batch', ['batch']),
    ...createReplicaMetrics(registers),
    ...createLoadMetrics(registers),
  };
}

/** Makers of the metrics of a registry. */
function makersFor(registers: Registry[]) {
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    buckets = SECONDS,
  ) => new Histogram({ name, help, labelNames, buckets, registers });
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  return { counter, histogram, gauge };
}

/** The metrics of connections. */
function createConnectionMetrics(registers: Registry[]) {
  const { counter, histogram, gauge } = makersFor(registers);
  return {
    connectionUp: gauge(
      'heliograph_connection_up',
      'Whether a connection is up (1) or down (0), as this process sees it',
      ['connection'],
    ),
    connectionSick: gauge(
      'heliograph_connection_sick',
      "Whether a connection is sick (1) or well (0) for the recipients' country; `*`: for all",
      ['connection', 'country'],
    ),
    connectionTaken: gauge(
      'heliograph_connection_taken_ratio',
      'The part of the attempts of the last hour that the provider took, by connection and country',
      ['connection', 'country'],
    ),
    connectionDelivered: gauge(
      'heliograph_connection_delivered_ratio',
      'The part of what was taken within the last hour that was delivered, by connection and country',
      ['connection', 'country'],
    ),
    connectionAttempts: counter(
      'heliograph_connection_attempts_total',
      "Attempts by connection, the recipient's country and status",
      ['connection', 'country', 'status'],
    ),
    connectionSeconds: histogram(
      'heliograph_connection_attempt_duration_seconds',
      "Time of an attempt by connection and the recipient's country",
      ['connection', 'country'],
    ),
    connectionReceipts: counter(
      'heliograph_connection_receipts_total',
      "Receipts that raised an attempt, by connection, the recipient's country and status",
      ['connection', 'country', 'status'],
    ),
  };
}

/** The replica; there is nothing to see where none is set. */
function createReplicaMetrics(registers: Registry[]) {
  const { gauge } = makersFor(registers);
  return {
    replicaLag: gauge('heliograph_replica_lag_seconds', 'How far the replica is behind, as this process sees it'),
    replicaUsed: gauge('heliograph_replica_used', 'Whether lists and figures are read from the replica (1) or not (0)'),
  };
}

/** How much a process has to do, and what it refuses. */
function createLoadMetrics(registers: Registry[]) {
  const { counter, gauge } = makersFor(registers);
  return {
    inFlight: gauge('heliograph_requests_in_flight', 'Requests that are being answered now'),
    shed: counter('heliograph_shed_total', 'Requests that were refused because there was too much to do'),
    requestsLeftOut: counter(
      'heliograph_requests_left_out_total',
      'Requests that the request log left out, as there were too many of an account or in all',
    ),
    connectionsRefused: counter(
      'heliograph_connections_refused_total',
      'Connections that were closed because their address or account had too many',
    ),
    unreadBytes: gauge('heliograph_unread_bytes', 'What answers take up that their callers have not read yet'),
    waiting: gauge('heliograph_requests_waiting', 'Requests that wait for their turn'),
    bufferedBytes: gauge('heliograph_buffered_bytes', 'What the bodies of requests take up that are not answered yet'),
  };
}
