/** The metrics of all processes that serve one port: each of them answers for all, as a scrape meets any. */
import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client';
import { z } from 'zod';

type Metric = MetricObjectWithValues<MetricValue<string>>;

/** A question: for the metrics of `all`, which the first process answers; or for a process's `own`. */
const ASKED = z.object({ type: z.literal('heliograph:metrics'), of: z.enum(['all', 'own']), id: z.string() });

/** The answer to the question with this id: a page, or the metrics of one process. */
const TOLD = z.object({ type: z.literal('heliograph:metrics-told'), id: z.string(), told: z.unknown() });

type Asked = z.output<typeof ASKED>;
type Told = z.output<typeof TOLD>;

/** How long a process may take to tell its metrics: who scrapes waits ten seconds as a rule. */
const TELL_MS = 2_000;

/** How long the first process may take. */
const GATHER_MS = 5_000;

/** Answers the metrics of this process; where it serves beside others, of all of them, each with its `process`. */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  const { worker } = cluster;
  if (!worker) return () => registry.metrics();
  // A counter of a new process begins at 0 beside the others: a sum would fall, and a fall looks like a start to Prometheus.
  registry.setDefaultLabels({ process: String(worker.id) });
  process.on('message', message => {
    const { data } = ASKED.safeParse(message);
    if (data)
      void registry
        .getMetricsAsJSON()
        .then(told => process.send?.({ type: 'heliograph:metrics-told', id: data.id, told } satisfies Told));
  });
  return async () => z.string().parse(await asked(process, { of: 'all', ms: GATHER_MS }));
}

/** Answers, in the first process, each question of the others for the metrics of all. @param serving those that serve now */
export function gatherMetrics(serving: () => readonly Worker[]): void {
  cluster.on('message', (asker, message) => {
    const { data } = ASKED.safeParse(message);
    if (data?.of !== 'all') return;
    const gather = async (): Promise<void> => {
      const answers = serving().map(worker => asked(worker, { of: 'own', ms: TELL_MS }).catch(() => null));
      const told = await pageOf(await Promise.all(answers));
      if (asker.isConnected()) asker.send({ type: 'heliograph:metrics-told', id: data.id, told } satisfies Told);
    };
    void gather();
  });
}

/** The other end of a channel between processes. */
interface Channel {
  send?(message: object): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

/** Asks the other end of a channel. @throws an Error when it did not answer in time */
function asked(other: Channel, { of, ms }: { readonly of: Asked['of']; readonly ms: number }): Promise<unknown> {
  const id = randomUUID();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const hear = (message: unknown): void => {
    const { data } = TOLD.safeParse(message);
    if (data?.id === id) resolve(data.told);
  };
  const late = setTimeout(() => reject(new Error('a process did not tell its metrics in time')), ms);
  other.on('message', hear);
  other.send?.({ type: 'heliograph:metrics', of, id } satisfies Asked);
  return promise.finally(() => {
    clearTimeout(late);
    other.off('message', hear);
  });
}

/** One page of the metrics of processes. @param answers null where one did not tell */
async function pageOf(answers: readonly unknown[]): Promise<string> {
  const told = answers.filter(answer => answer !== null) as Metric[][];
  // Each series has its process, so that nothing is added up.
  const page = AggregatorRegistry.aggregate(
    told.map(metrics => metrics.map(metric => ({ ...metric, aggregator: 'sum' as const }))),
  );
  const silent = new Gauge({
    name: 'heliograph_processes_silent',
    help: 'Processes that serve and did not tell their metrics in time',
    registers: [page],
  });
  silent.set(answers.length - told.length);
  return await page.metrics();
}
