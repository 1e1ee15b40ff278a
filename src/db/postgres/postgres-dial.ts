/** Opens one connection to one PostgreSQL server, with or without TLS, and reads the server's first message. */
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { isSocketPath, type PostgresHost } from '../../kernel/settings/postgres-url.ts';

/** No acceptable server could be reached. `message` is one line for people. */
export class ConnectError extends Error {
  /** The code of the system or of TLS, if any. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = 'ConnectError';
    this.code = code;
  }
}

/** The server was reached, but TLS failed. */
export class TlsError extends ConnectError {}

/** The server's first message. */
export interface Greeting {
  readonly bytes: Buffer;
  /** The SQLSTATE, if it is an error, else null. */
  readonly refusal: string | null;
}

/** The SSLRequest message: length 8, code 80877103. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** TCP keep-alive, to detect a lost server. */
const KEEP_ALIVE_MS = 10_000;

const ERROR_RESPONSE = 'E'.charCodeAt(0);

/** A longer first message is not PostgreSQL's. */
const GREETING_BYTES_MAX = 30_000;

/** The server's address for messages. */
export function placeOf({ name, port }: PostgresHost): string {
  return isIP(name) === 6 ? `[${name}]:${port}` : `${name}:${port}`;
}

/** Connects without TLS. The signal destroys the socket, now and later. @throws ConnectError */
export async function dial(host: PostgresHost, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const { name, port } = host;
  const socket = connect(isSocketPath(host) ? { path: `${name}/.s.PGSQL.${port}` } : { host: name, port });
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  endWith(socket, signal);
  await happens(socket, 'connect');
  return socket;
}

/** Starts TLS. Null if the server has none; the connection stays usable. @throws TlsError */
export async function encrypt(
  socket: Socket,
  host: PostgresHost,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket | null> {
  socket.write(TLS_REQUEST);
  const answer = await readSome(socket);
  if (answer.toString('latin1') === 'N') return null;
  // Bytes behind the answer are refused: anybody could have injected them, and they would count as encrypted.
  if (answer.toString('latin1') !== 'S') throw new TlsError(`${placeOf(host)} does not understand the request for TLS`);
  try {
    const tls = connectTls({
      ...options,
      socket,
      host: host.name,
      ...(isIP(host.name) === 0 ? { servername: host.name } : {}),
    });
    endWith(tls, signal);
    await happens(tls, 'secureConnect');
    return tls;
  } catch (error) {
    if (signal.aborted) throw error;
    const { message, code } = describe(error);
    const isCertificate = code?.startsWith('ERR_TLS_CERT') || /^[A-Z_]*(CERT|SIGNATURE)[A-Z_]*$/.test(code ?? '');
    const what = isCertificate ? `the certificate of ${placeOf(host)} is not trusted` : `no TLS with ${placeOf(host)}`;
    throw new TlsError(`${what}: ${message}`, code);
  }
}

/** Sends the startup message, reads the whole first message, and pauses the socket. @throws ConnectError */
export async function greet(socket: Socket, startup: Buffer): Promise<Greeting> {
  socket.write(startup);
  let bytes = await readSome(socket);
  while (bytes.length < 5 || bytes.length < 1 + bytes.readUInt32BE(1)) {
    if (bytes.length > GREETING_BYTES_MAX) throw new ConnectError('what answers is no PostgreSQL');
    bytes = Buffer.concat([bytes, await readSome(socket)]);
  }
  if (bytes[0] !== ERROR_RESPONSE) return { bytes, refusal: null };
  return { bytes, refusal: fieldOf(bytes, 'C') };
}

/** A field of an ErrorResponse: `C` is its SQLSTATE, `M` its message. */
export function fieldOf(bytes: Buffer, type: string): string {
  const fields = bytes.subarray(5).toString('utf8').split('\0');
  return fields.find(field => field.startsWith(type))?.slice(1) ?? '';
}

/** Message and code of an error; if several addresses of one name failed, those of the first. */
export function describe(error: unknown): { readonly message: string; readonly code: string | undefined } {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return { message: String(first), code: undefined };
  return { message: first.message, code: 'code' in first ? String(first.code) : undefined };
}

/** Scans the bytes from the server; true when the session is ready (the first ReadyForQuery). */
export function readyScanner(): (chunk: Buffer) => boolean {
  let skip = 0;
  let head = Buffer.alloc(0);
  return chunk => {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + (skip > 0 ? skip : 5 - head.length));
      at += part.length;
      if (skip > 0) {
        skip -= part.length;
        continue;
      }
      head = Buffer.concat([head, part]);
      if (head.length < 5) break;
      if (head[0] === 'Z'.charCodeAt(0)) return true;
      skip = head.readUInt32BE(1) - 4;
      head = Buffer.alloc(0);
    }
    return false;
  };
}

function endWith(socket: Socket, signal: AbortSignal): void {
  const end = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  // If nobody waits, the error is reported by `close`, which follows.
  socket.on('error', () => undefined).once('close', () => signal.removeEventListener('abort', end));
}

async function readSome(socket: Socket): Promise<Buffer> {
  socket.resume();
  const [chunk] = await happens(socket, 'data', () => socket.pause());
  return chunk as Buffer;
}

/** Awaits an event and answers its arguments; `then` runs as it happens. @throws the error that the socket closes with before */
function happens(socket: Socket, event: string, then: () => void = () => undefined): Promise<unknown[]> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
  const done = (...given: unknown[]): void => {
    then();
    resolve(given);
  };
  const close = (): void => reject(new ConnectError('Connection terminated unexpectedly', 'ECONNRESET'));
  socket.once(event, done).once('error', reject).once('close', close);
  return promise.finally(() => socket.off(event, done).off('error', reject).off('close', close));
}
