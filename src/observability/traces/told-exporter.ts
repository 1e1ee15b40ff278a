/** An exporter that says once in the log that the collector takes nothing, and once that it does again. */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';

/** `ExportResultCode.SUCCESS` of the SDK. */
const TAKEN = 0;

type Done = Parameters<SpanExporter['export']>[1];

/** Hands spans on to another exporter. */
export class ToldExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  /** Whether the last spans were not taken. */
  isFailing = false;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: Done): void {
    this.#exporter.export(spans, result => {
      this.#tell(result);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #tell({ code, error }: Parameters<Done>[0]): void {
    const isFailing = code !== TAKEN;
    if (isFailing === this.isFailing) return;
    this.isFailing = isFailing;
    if (isFailing) this.#log.warn({ err: error }, 'the collector takes no traces; sends go on without them');
    else this.#log.info('the collector takes traces again');
  }
}
