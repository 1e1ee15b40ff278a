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
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: '[redacted]' } },
    stream,
  );
}
