/** Loads the SDK of traces, which a gateway without the setting never reads. */
import packageJson from '../../../package.json' with { type: 'json' };
import type { Logger } from '../logger.ts';
import type { TraceSettings, Traces } from './traces.ts';

const { devDependencies } = packageJson;

/** The packages of the SDK, which the bundle brings. */
const SDK = [
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
] as const;

/** How the SDK is installed beside sources that came without the packages of development, and were not built. */
export const INSTALL_SDK: string = `npm install --no-save ${SDK.map(name => `${name}@${devDependencies[name]}`).join(' ')}`;

/** Opens the traces of a process; null: the SDK is not installed, which the log says. */
export async function loadTraces(settings: TraceSettings, log: Logger): Promise<Traces | null> {
  try {
    const { openTraces } = await import('./open-traces.ts');
    return openTraces(settings, log);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    log.warn(
      `OTEL_EXPORTER_OTLP_ENDPOINT is set, and the SDK of OpenTelemetry is not installed here. Run: ${INSTALL_SDK}`,
    );
    return null;
  }
}
