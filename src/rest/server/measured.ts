/** Counts answers and their times. */
import { toAppError } from '../../db/failures.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { type FailureStyle, failure, respond } from '../envelope.ts';

/** Answers, with a failure in its style where one is expected, and counts the answer and its time. */
export async function measured(
  metrics: Metrics,
  labels: { readonly transport: string; readonly operation: string },
  requestId: string,
  style: FailureStyle,
  answer: () => Promise<Response>,
): Promise<Response> {
  const startedMs = performance.now();
  const response = await answer().catch((error: unknown) => {
    const known = toAppError(error);
    if (!known) throw error;
    return respond(failure(known, requestId, style), requestId);
  });
  metrics.requests.inc({ ...labels, status: String(response.status) });
  // A subscription is answered as soon as it begins.
  metrics.requestSeconds.observe(labels, (performance.now() - startedMs) / 1000);
  return response;
}
