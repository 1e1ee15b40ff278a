/** The errors of requests, as notes and forms show them. */

/** A fault of one input. */
export interface FieldFault {
  /** Its path in the input: `url`, `config.port`. */
  readonly field: string;
  readonly message: string;
}

/** An error that the gateway answered, or the lack of any answer. */
export class Failure extends Error {
  /** In upper case, as GraphQL says it; `UNREACHABLE`: no answer came. */
  readonly code: string;
  /** The inputs that are at fault; empty where it is about none. */
  readonly faults: readonly FieldFault[];
  /** For who reads the log of the gateway; null: none was told. */
  readonly requestId: string | null;
  /** Seconds until it is worth another try; null: not said. */
  readonly retryAfter: number | null;

  constructor(code: string, message: string, more: Partial<Pick<Failure, 'faults' | 'requestId' | 'retryAfter'>> = {}) {
    super(message);
    this.code = code;
    this.faults = more.faults ?? [];
    this.requestId = more.requestId ?? null;
    this.retryAfter = more.retryAfter ?? null;
  }
}
