/** Checks whether traces reach the collector that they are wanted for. */
import type { Services } from '../../context.ts';
import { INSTALL_SDK } from '../../observability/traces/load-traces.ts';
import { type Finding, ok, warning } from './finding.ts';

/** Checks the traces; finds nothing while they are off. */
export function lookAtTraces({ settings, traces }: Pick<Services, 'settings' | 'traces'>): Finding[] {
  if (!settings.isTraced) return [];
  if (traces === null) {
    const missing = 'OTEL_EXPORTER_OTLP_ENDPOINT is set, and the SDK of OpenTelemetry is not installed here.';
    return [warning('traces', missing, `Run: ${INSTALL_SDK}`)];
  }
  if (!traces.isFailing) return [ok('traces', 'Traces go to the collector.')];
  const mend = 'See that it runs, and takes OTLP over HTTP at the address of OTEL_EXPORTER_OTLP_ENDPOINT.';
  return [warning('traces', 'The collector takes no traces.', mend)];
}
