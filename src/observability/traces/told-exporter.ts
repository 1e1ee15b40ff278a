/** An exporter that says once in the log that the collector takes nothing, and once that it does again. */
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';

type Done = Parameters<SpanExporter['export']>[1];

/** Hands spans on to another exporter. */
export class ToldExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Logger;
  /** Why the last spans were not taken; null: they were, or there were none. */
  fault: string | null = null;

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
    const before = this.fault;
    this.fault = code === 0 ? null : (error?.message ?? 'no answer');
    if (before === null && this.fault !== null)
      this.#log.warn({ err: error }, 'the collector takes no traces; sends go on without them');
    if (before !== null && this.fault === null) this.#log.info('the collector takes traces again');
  }
}
