/** The process log: pino, with redaction of secrets. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';

/** The logger of a process, or a child with the fields of one request or job. */
export type Logger = PinoLogger;

/** Fields with texts, codes, tokens or secrets, redacted at every depth that the log records have. */
const SECRET_FIELDS = ['text', 'code', 'pin', 'otp', 'token', 'secret', 'password', 'authorization', 'template'];

/** Opens the log, on standard error by default: standard output is for data. */
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

/** Logs type, message, stack and code, but no other field: PostgreSQL's `detail` and `where` quote rows, with texts and recipients. */
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

/** The rows that PostgreSQL quoted in the error and its causes; the ORM copies them into messages. Those that the ORM did not find, too. */
function quotedRows(error: unknown): string[] {
  const quotes: string[] = [];
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('detail' in current && typeof current.detail === 'string' && current.detail !== '') quotes.push(current.detail);
    const [sought] = (current.name === 'NotFoundError' && /\{.*\}/s.exec(current.message)) || [];
    if (sought) quotes.push(sought);
  }
  return quotes;
}

function without(quotes: readonly string[], text: string): string {
  return quotes.reduce((rest, quote) => rest.replaceAll(quote, '[redacted]'), text);
}
