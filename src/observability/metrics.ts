/** Prometheus metrics, named after the words of the contract. One registry a process, so that several can live in one test. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What a process counts. */
export interface Metrics {
  readonly registry: Registry;
  /** Answers by transport, operation or path, and HTTP status. */
  readonly requests: Counter<'transport' | 'operation' | 'status'>;
  readonly requestSeconds: Histogram<'transport' | 'operation'>;
  /** Messages by delivery mode and status at the end of their routing. */
  readonly messages: Counter<'delivery_mode' | 'status'>;
  /** OTPs by area and what happened to them: how a send ended (`sent`, `failed`), what a verify was answered (`verified`, `incorrect` …). */
  readonly otps: Counter<'area' | 'event'>;
  /** How often the wrong codes of an account reached their limit, once in a minute for each account. */
  readonly otpAlarms: Counter;
  /** Attempts by channel, provider and status. */
  readonly attempts: Counter<'channel' | 'provider' | 'status'>;
  readonly attemptSeconds: Histogram<'channel' | 'provider'>;
  /** Receipts by provider and result (`raised`, `ignored`, `unmatched`). */
  readonly receipts: Counter<'provider' | 'result'>;
  /** Tries of webhook deliveries by result: `delivered`, or why they failed. */
  readonly webhookTries: Counter<'result'>;
  readonly webhookTrySeconds: Histogram;
  /** Webhook deliveries that were given up because workers died over them. */
  readonly webhookQuarantined: Counter;
  /** What the last reconciliation of the ledger found; in the process that ran it. */
  readonly ledgerFaults: Gauge;
  /** Items of each group commit, by batch. */
  readonly commitSize: Histogram<'batch'>;
  readonly commitSeconds: Histogram<'batch'>;
  /** Requests that are being answered now. */
  readonly inFlight: Gauge;
  /** Requests that were refused because there was too much to do. */
  readonly shed: Counter;
  /** Requests that wait for their turn. */
  readonly waiting: Gauge;
  /** What the bodies of requests take up that are not answered yet, in bytes. */
  readonly bufferedBytes: Gauge;
}

/** Makes the metrics of a process. `defaults` adds those of Node itself. */
export function createMetrics(defaults = true): Metrics {
  const registry = new Registry();
  if (defaults) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
  return {
    registry,
    requests: new Counter({
      name: 'heliograph_requests_total',
      help: 'Answers by transport, operation and HTTP status',
      labelNames: ['transport', 'operation', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'heliograph_request_duration_seconds',
      help: 'Time to answer by transport and operation',
      labelNames: ['transport', 'operation'],
      buckets: seconds,
      registers,
    }),
    messages: new Counter({
      name: 'heliograph_messages_total',
      help: 'Messages by delivery mode and status at the end of their routing',
      labelNames: ['delivery_mode', 'status'],
      registers,
    }),
    otps: new Counter({
      name: 'heliograph_otps_total',
      help: 'Sends and verifies of passcodes by area and what became of them',
      labelNames: ['area', 'event'],
      registers,
    }),
    otpAlarms: new Counter({
      name: 'heliograph_otp_wrong_code_alarms_total',
      help: 'How often the wrong codes of an account reached their limit, once in a minute for each account',
      registers,
    }),
    attempts: new Counter({
      name: 'heliograph_attempts_total',
      help: 'Attempts by channel, provider and status',
      labelNames: ['channel', 'provider', 'status'],
      registers,
    }),
    attemptSeconds: new Histogram({
      name: 'heliograph_attempt_duration_seconds',
      help: 'Time of an attempt by channel and provider',
      labelNames: ['channel', 'provider'],
      buckets: seconds,
      registers,
    }),
    receipts: new Counter({
      name: 'heliograph_receipts_total',
      help: 'Receipts by provider and result',
      labelNames: ['provider', 'result'],
      registers,
    }),
    webhookTries: new Counter({
      name: 'heliograph_webhook_tries_total',
      help: 'Tries of webhook deliveries by result',
      labelNames: ['result'],
      registers,
    }),
    webhookTrySeconds: new Histogram({
      name: 'heliograph_webhook_try_duration_seconds',
      help: 'Time of a try of a webhook delivery',
      buckets: seconds,
      registers,
    }),
    webhookQuarantined: new Counter({
      name: 'heliograph_webhook_quarantined_total',
      help: 'Webhook deliveries that were given up because workers died over them',
      registers,
    }),
    ledgerFaults: new Gauge({
      name: 'heliograph_ledger_faults',
      help: 'Faults that the last reconciliation of the ledger found',
      registers,
    }),
    commitSize: new Histogram({
      name: 'heliograph_commit_items',
      help: 'Items of each group commit by batch',
      labelNames: ['batch'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'heliograph_commit_duration_seconds',
      help: 'Time of each group commit by batch',
      labelNames: ['batch'],
      buckets: seconds,
      registers,
    }),
    ...requestGauges(registers),
  };
}

/** What a process has taken on, and what it has not. */
function requestGauges(registers: Registry[]): Pick<Metrics, 'inFlight' | 'shed' | 'waiting' | 'bufferedBytes'> {
  return {
    inFlight: new Gauge({
      name: 'heliograph_requests_in_flight',
      help: 'Requests that are being answered now',
      registers,
    }),
    shed: new Counter({
      name: 'heliograph_shed_total',
      help: 'Requests that were refused because there was too much to do',
      registers,
    }),
    waiting: new Gauge({
      name: 'heliograph_requests_waiting',
      help: 'Requests that wait for their turn',
      registers,
    }),
    bufferedBytes: new Gauge({
      name: 'heliograph_buffered_bytes',
      help: 'What the bodies of requests take up that are not answered yet',
      registers,
    }),
  };
}
