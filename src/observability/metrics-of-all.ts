/** The metrics of all processes that serve one port: each of them answers for all, as a scrape meets any. */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { z } from 'zod';

const ASKED = z.object({ type: z.literal('heliograph:metrics'), id: z.string() });
const ANSWERED = z.object({
  type: z.literal('heliograph:metrics-of-all'),
  id: z.string(),
  text: z.string().nullable(),
});

/** Answers the metrics of this process; where it serves beside others, of all of them. */
export function metricsOfAll(registry: Registry): () => Promise<string> {
  if (!cluster.isWorker) return () => registry.metrics();
  AggregatorRegistry.setRegistries([registry]);
  // Its making is what has the process answer the first one's question.
  new AggregatorRegistry();
  const waiting = new Map<string, (text: string | null) => void>();
  process.on('message', message => {
    const { data } = ANSWERED.safeParse(message);
    if (data) waiting.get(data.id)?.(data.text);
  });
  return async () => {
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<string | null>();
    waiting.set(id, resolve);
    process.send?.({ type: 'heliograph:metrics', id } satisfies z.output<typeof ASKED>);
    const text = await promise.finally(() => waiting.delete(id));
    if (text === null) throw new Error('another process did not tell its metrics in time');
    return text;
  };
}

/** Answers, in the first process, each question of the others for the metrics of all. */
export function gatherMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker, message) => {
    const { data } = ASKED.safeParse(message);
    if (!data) return;
    const answer = (text: string | null): void => {
      const told = { type: 'heliograph:metrics-of-all', id: data.id, text } satisfies z.output<typeof ANSWERED>;
      if (worker.isConnected()) worker.send(told);
    };
    all.clusterMetrics().then(answer, () => answer(null));
  });
}
