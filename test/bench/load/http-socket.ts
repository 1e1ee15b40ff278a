/**
 * HTTP/1.1 over a bare keep-alive socket, one request at a time. The loads share the cores with the measured gateway, and an HTTP client
 * would cost as much as the gateway.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
/** The offset of the three digits of the status in `HTTP/1.1 200 OK`. */
const STATUS_AT = 9;

/** An answer; of its head only this is kept. */
export interface Answer {
  readonly status: number;
  /** Whether it says when to come again. */
  readonly hasRetryAfter: boolean;
  readonly body: Buffer;
}

/** A connection to a gateway. */
export class HttpSocket {
  readonly #socket: Socket;
  readonly #head: string;
  #bytes: Buffer = Buffer.alloc(0);
  #waiting: PromiseWithResolvers<Answer> | null = null;
  #fault: Error | null = null;

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.on('data', bytes => this.#read(bytes));
    socket.on('error', error => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('the server closed a connection')));
  }

  /** Connects to a server by its URL; what is asked carries the token, or none where it is null, and these other headers. */
  static async open(
    url: string,
    token: string | null,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<HttpSocket> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname).setNoDelay();
    await once(socket, 'connect');
    const lines = Object.entries({
      Host: host,
      ...headers,
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
    });
    return new HttpSocket(socket, lines.map(([name, value]) => `${name}: ${value}\r\n`).join(''));
  }

  /**
   * Posts a JSON text.
   * @param more lines of its head, each with its end
   * @throws Error if the connection breaks, or the answer has no Content-Length
   */
  post(path: string, json: string, more = ''): Promise<Answer> {
    const body = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
    return this.#ask(`POST ${path} HTTP/1.1\r\n${this.#head}${more}${body}`);
  }

  /** Gets a path. @throws the same */
  get(path: string): Promise<Answer> {
    return this.#ask(`GET ${path} HTTP/1.1\r\n${this.#head}\r\n`);
  }

  close(): void {
    this.#socket.removeAllListeners('close').destroy();
  }

  #ask(request: string): Promise<Answer> {
    if (this.#fault) return Promise.reject(this.#fault);
    this.#waiting = Promise.withResolvers<Answer>();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#waiting?.reject(error);
  }

  #read(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    const headEnd = this.#bytes.indexOf(HEAD_END);
    if (headEnd < 0) return;
    const head = this.#bytes.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new Error(`an answer without Content-Length: ${head}`));
      return;
    }
    const start = headEnd + HEAD_END.length;
    const end = start + Number(length);
    if (this.#bytes.length < end) return;
    const status = Number(head.slice(STATUS_AT, STATUS_AT + 3));
    const hasRetryAfter = status >= 400 && /\r\nretry-after: *\d/i.test(head);
    const answer = { status, hasRetryAfter, body: this.#bytes.subarray(start, end) };
    this.#bytes = this.#bytes.subarray(end);
    this.#waiting?.resolve(answer);
  }
}
