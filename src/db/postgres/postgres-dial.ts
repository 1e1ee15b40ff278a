/** Opens one connection to one PostgreSQL server, with or without TLS, and reads what the server says first. */
import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { isSocketPath, type PostgresHost } from '../../kernel/settings/postgres-url.ts';

/** No server could be reached, or none that is acceptable. The message is one line, for people. */
export class ConnectError extends Error {
  /** The system's or TLS's, where there is one. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.name = 'ConnectError';
    this.code = code;
  }
}

/** TLS did not come to be, with a server that can be reached. */
export class TlsError extends ConnectError {}

/** What a server says first: an error, or anything else. */
export interface Greeting {
  readonly bytes: Buffer;
  /** The SQLSTATE of an error; null: it is none. */
  readonly refusal: string | null;
}

/** Asks for TLS: a length of 8, and the code 80877103. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** A server that is gone without a word is noticed by the system. */
const KEEP_ALIVE_MS = 10_000;

const ERROR_RESPONSE = 'E'.charCodeAt(0);

/** A longer first message is of no PostgreSQL. */
const GREETING_BYTES_MAX = 30_000;

/** The server as people name it. */
export function placeOf({ name, port }: PostgresHost): string {
  return isIP(name) === 6 ? `[${name}]:${port}` : `${name}:${port}`;
}

/** Connects without TLS. When the signal aborts, the socket ends with its reason, for as long as it lives. @throws ConnectError */
export async function dial(host: PostgresHost, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const { name, port } = host;
  const socket = connect(isSocketPath(host) ? { path: `${name}/.s.PGSQL.${port}` } : { host: name, port });
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
  endWith(socket, signal);
  await happens(socket, 'connect');
  return socket;
}

/**
 * Asks for TLS on a connection that is open. Answers null where the server has none; the connection is then as good as before.
 * @throws TlsError
 */
export async function encrypt(
  socket: Socket,
  host: PostgresHost,
  options: ConnectionOptions,
  signal: AbortSignal,
): Promise<Socket | null> {
  socket.write(TLS_REQUEST);
  const answer = await readSome(socket);
  if (answer.toString('latin1') === 'N') return null;
  // What came with the answer would be taken for said under TLS, though anybody may have put it there.
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

/** Sends the driver's first message and reads the whole of the first one that comes back. The socket is paused then. @throws ConnectError */
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

/** A field of an error: `C` its SQLSTATE, `M` its message. */
export function fieldOf(bytes: Buffer, type: string): string {
  const fields = bytes.subarray(5).toString('utf8').split('\0');
  return fields.find(field => field.startsWith(type))?.slice(1) ?? '';
}

/** Message and code of whatever was thrown; of several addresses of one name, the first one's. */
export function describe(error: unknown): { readonly message: string; readonly code: string | undefined } {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(first instanceof Error)) return { message: String(first), code: undefined };
  return { message: first.message, code: 'code' in first ? String(first.code) : undefined };
}

/** Says, fed with all that a server sends, when the session is ready: at its first ReadyForQuery. */
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
  // An error that comes when nobody waits is told by the end that follows it.
  socket.on('error', () => undefined).once('close', () => signal.removeEventListener('abort', end));
}

async function readSome(socket: Socket): Promise<Buffer> {
  socket.resume();
  const [chunk] = await happens(socket, 'data', () => socket.pause());
  return chunk as Buffer;
}

/** The arguments of the event. `then` is called as it happens. @throws what the socket ends with before */
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
