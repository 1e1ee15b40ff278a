/** The process log: pino, with what must never be in it cut out whatever is handed over. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** The logger of a process, or a child of it with the fields of one request or job. */
export type Logger = PinoLogger;

/** Fields that hold texts, codes, tokens or secrets, at any of the depths where our records have them. */
const SECRET_FIELDS = ['text', 'code', 'pin', 'otp', 'token', 'secret', 'password', 'authorization', 'template'];

/** Opens the log. `stream` is standard error unless told: standard output belongs to data. */
export function createLogger(level: string, stream: DestinationStream = pino.destination(2)): Logger {
  const paths = SECRET_FIELDS.flatMap(field => [field, `*.${field}`, `*.*.${field}`]);
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      redact: { paths, censor: '[redacted]' },
    },
    stream,
  );
}

/**
 * An error without the fields that its thrower hung on it: PostgreSQL's `detail` and `where` quote rows, and rows hold texts and
 * recipients. Message and stack are those of its causes too, and `errorCode` is what the system or the database calls it.
 */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { type, message, stack } = pino.stdSerializers.err(error);
  const quotes = quotedRows(error);
  return {
    type,
    message: without(quotes, message),
    stack: without(quotes, stack),
    ...('code' in error ? { errorCode: String(error.code) } : {}),
  };
}

/** The rows that the database quoted, of the error and its causes: the ORM writes them into its messages too. */
function quotedRows(error: unknown): string[] {
  const quotes: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('detail' in current && typeof current.detail === 'string' && current.detail !== '') quotes.push(current.detail);
  }
  return quotes;
}

function without(quotes: readonly string[], text: string): string {
  return quotes.reduce((rest, quote) => rest.replaceAll(quote, '[redacted]'), text);
}
