/**
 * A wire between a gateway and its PostgreSQL that loses answers on demand. A statement that verifies has committed, and its sender
 * never hears of it. A crash does this by chance at the worst moment, the wire every time.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The fate of answers to statements that verify: they pass, wait for ever, or take their connection with them (once). */
export type WireMode = 'pass' | 'hold' | 'cut';

/** A wire that is up. */
export interface Wire {
  /** The URL to open the database by. */
  readonly url: string;
  set(mode: WireMode): void;
  /** Resolves when the next answer is lost, held or cut. The server has said by then that nothing is left to commit. */
  lost(): Promise<void>;
  /** Cuts all connections and stops. */
  close(): Promise<void>;
}

/** Stands in the texts of the statements that verify, and in no other. */
const MARK = /fit_recipient|recipient_has_room/;

/** ReadyForQuery of a session that is in no transaction: what it did is committed. */
const COMMITTED = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** The same of a session that is in a transaction: its commit is the answer to lose. */
const OPEN = Buffer.from([0x5a, 0, 0, 0, 5, 0x54]);

/** Opens a wire to a server by its URL (TCP, no TLS). */
export async function openWire(databaseUrl: string): Promise<Wire> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let mode: WireMode = 'pass';
  let loss = Promise.withResolvers<void>();

  const server = createServer(client => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const session = readSession();
    let answer: Buffer[] = [];
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket.setNoDelay());
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', chunk => {
      session.read(chunk);
      upstream.write(chunk);
    });
    upstream.on('data', chunk => {
      if (!session.isVerifying() || mode === 'pass') {
        if (chunk.subarray(-COMMITTED.length).equals(COMMITTED)) session.answered();
        client.write(chunk);
        return;
      }
      answer.push(chunk);
      const whole = Buffer.concat(answer);
      if (whole.subarray(-OPEN.length).equals(OPEN)) {
        answer = [];
        client.write(whole);
        return;
      }
      if (!whole.subarray(-COMMITTED.length).equals(COMMITTED)) return;
      answer = [];
      if (mode === 'cut') {
        mode = 'pass';
        end();
      }
      loss.resolve();
      loss = Promise.withResolvers();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${address.port}`;
  url.searchParams.set('sslmode', 'disable');
  return {
    url: url.href,
    set: wanted => {
      mode = wanted;
    },
    lost: () => loss.promise,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}

/** Reads the bytes of a client, to tell whether a statement that verifies is under way (protocol 3.0 of PostgreSQL). */
function readSession() {
  // The statement may be prepared under a name, and is then asked for by it.
  const names = new Set<string>();
  let rest = Buffer.alloc(0);
  let isStarted = false;
  let isVerifying = false;

  const readMessage = (type: string, body: Buffer): void => {
    const [first = '', second = ''] = body.toString('latin1').split('\0', 2);
    if (type === 'P' && MARK.test(second)) names.add(first);
    if (type === 'P' && !MARK.test(second)) names.delete(first);
    if (type === 'B' && names.has(second)) isVerifying = true;
  };

  return {
    read(chunk: Buffer): void {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const start = isStarted ? 1 : 0;
        if (rest.length < start + 4) return;
        const end = start + rest.readInt32BE(start);
        if (rest.length < end) return;
        if (isStarted) readMessage(rest.toString('latin1', 0, 1), rest.subarray(start + 4, end));
        isStarted = true;
        rest = rest.subarray(end);
      }
    },
    isVerifying: () => isVerifying,
    answered(): void {
      isVerifying = false;
    },
  };
}
