/** HTTP as bytes on a socket, for clients that no HTTP library would be. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that says what a test writes. */
export interface RawClient {
  readonly socket: Socket;
  /** Everything that came back so far. */
  heard(): string;
  /** Waits until what came back matches. @throws Error where the connection ends first */
  until(pattern: RegExp): Promise<string>;
  /** Waits until the server has closed the connection; answers all that came back. */
  closed(): Promise<string>;
}

/** Connects to a server by its URL and writes what is given. */
export async function speak(url: string, text = ''): Promise<RawClient> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  let heard = '';
  const closed = new Promise<string>(resolve => socket.once('close', () => resolve(heard)));
  // A server that cuts a client off may reset the connection.
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    heard += chunk;
  });
  await once(socket, 'connect');
  socket.write(text);
  return {
    socket,
    heard: () => heard,
    async until(pattern) {
      while (!pattern.test(heard)) {
        if (socket.destroyed) throw new Error(`the connection ended after: ${heard}`);
        await Promise.race([once(socket, 'data'), closed]);
      }
      return heard;
    },
    closed: () => closed,
  };
}

/** The head of a request with a body of so many bytes, or in chunks; `more` are lines of headers. */
export function headOf(method: string, target: string, more: readonly string[] = []): string {
  return `${[`${method} ${target} HTTP/1.1`, 'Host: gateway.test', ...more].join('\r\n')}\r\n\r\n`;
}

/** An answer, read: its headers by their names in lower case, its body as JSON. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly body: Record<string, unknown>;
}

/** The first answer in a text. */
export function readAnswer(text: string): RawAnswer {
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  return { ...readHead(head), body: body === '' ? {} : JSON.parse(body) };
}

/** All the answers in a text, one after the other, each of which says its length. */
export function readAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n') + 4;
    const head = readHead(rest.slice(0, end - 4));
    const body = rest.slice(end, end + Number(head.headers.get('content-length') ?? 0));
    answers.push({ ...head, body: body === '' ? {} : JSON.parse(body) });
    rest = rest.slice(end + body.length);
  }
  return answers;
}

function readHead(head: string): Omit<RawAnswer, 'body'> {
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Map(
    lines.map((text): [string, string] => [
      text.slice(0, text.indexOf(':')).toLowerCase(),
      text.slice(text.indexOf(':') + 1).trim(),
    ]),
  );
  return { status: Number(line.split(' ')[1]), headers };
}
