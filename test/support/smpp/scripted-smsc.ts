/** An SMSC that does what a test says, byte by byte: it shares no code with ours, and can break every rule. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { Watched } from './watched.ts';

/** Numbers of commands; an answer has the highest bit beside. */
export const ID = {
  nack: 0x80000000,
  bindReceiver: 0x01,
  bindTransmitter: 0x02,
  submit: 0x04,
  deliver: 0x05,
  unbind: 0x06,
  bind: 0x09,
  enquire: 0x15,
  data: 0x103,
} as const;

const ANSWER = 0x80000000;

/** One PDU as it came. */
export interface Heard {
  readonly id: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
}

/** Writes a PDU. */
export function pdu(id: number, sequence: number, body: Buffer | string = '', status = 0): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(16);
  for (const [index, value] of [16 + bytes.length, id, status, sequence].entries())
    head.writeUInt32BE(value, index * 4);
  return Buffer.concat([head, bytes]);
}

/** Writes the answer to a PDU. */
export function answerTo({ id, sequence }: Heard, body: Buffer | string = '', status = 0): Buffer {
  return pdu((id | ANSWER) >>> 0, sequence, body, status);
}

/** Writes a `deliver_sm` with a receipt. */
export function receipt(sequence: number, id: string, stat = 'DELIVRD'): Buffer {
  return delivery(sequence, 0x04, `id:${id} sub:001 dlvrd:001 stat:${stat} err:000 text:`);
}

/** Writes a `deliver_sm` with a text. */
export function delivery(sequence: number, esmClass: number, text: string): Buffer {
  const address = '\0\x01\x01491701234560\0\x01\x01123\0';
  const middle = Buffer.from([esmClass, 0, 0, 0, 0, 0, 0, 0, 0, text.length]);
  return pdu(ID.deliver, sequence, Buffer.concat([Buffer.from(address), middle, Buffer.from(text, 'latin1')]));
}

/** One connection to it. */
export interface SmscConnection {
  readonly socket: Socket;
  /** Every PDU that came by it, in order. */
  readonly heard: readonly Heard[];
  /** Waits until so many PDUs of a command came by it; answers them. */
  of(id: number, count: number): Promise<Heard[]>;
  write(...pdus: readonly Buffer[]): void;
  /** Forgets what came. */
  forget(): void;
}

/** The reaction to a PDU. */
export type Script = (pdu: Heard, connection: SmscConnection) => void;

/** A scripted SMSC. */
export interface ScriptedSmsc extends AsyncDisposable {
  readonly port: number;
  /** Its connections, in order; those that have ended too. */
  readonly connections: readonly SmscConnection[];
  /** Waits for a connection, by its index. */
  connection(index: number): Promise<SmscConnection>;
}

/** Answers what every SMSC answers: binds, questions whether it is there, goodbyes; and submits, with ids that count up from `m1`. */
export function obliging(): Script {
  let count = 0;
  return (heard, { write, socket }) => {
    if (heard.id === ID.bind) write(answerTo(heard, 'SMSC\0'));
    if (heard.id === ID.submit) write(answerTo(heard, `m${++count}\0`));
    if (heard.id === ID.enquire) write(answerTo(heard));
    if (heard.id === ID.unbind) {
      write(answerTo(heard));
      socket.end();
    }
  };
}

/** Starts one. Commands without a script are answered as usual. */
export async function startScriptedSmsc(scripts: Readonly<Record<number, Script>> = {}): Promise<ScriptedSmsc> {
  const usual = obliging();
  const connections: SmscConnection[] = [];
  const came = new Watched();
  const server = createServer({ noDelay: true }, socket => {
    const heard: Heard[] = [];
    const byId = new Map<number, Heard[]>();
    const spoke = new Watched();
    const connection: SmscConnection = {
      socket,
      heard,
      of: (id, count) =>
        spoke.until(() => {
          const found = byId.get(id) ?? [];
          return found.length >= count ? [...found] : null;
        }),
      write: (...pdus) => void socket.write(Buffer.concat(pdus)),
      forget() {
        heard.length = 0;
        byId.clear();
      },
    };
    let unread = Buffer.alloc(0);
    socket.on('error', () => undefined);
    socket.on('data', bytes => {
      unread = Buffer.concat([unread, bytes]);
      for (
        ;
        unread.length >= 16 && unread.length >= unread.readUInt32BE(0);
        unread = unread.subarray(unread.readUInt32BE(0))
      ) {
        const one = read(unread.subarray(0, unread.readUInt32BE(0)));
        heard.push(one);
        byId.set(one.id, byId.get(one.id) ?? []);
        byId.get(one.id)?.push(one);
        (scripts[one.id] ?? usual)(one, connection);
        spoke.touch();
      }
    });
    connections.push(connection);
    came.touch();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the SMSC has no port');
  return {
    port: address.port,
    connections,
    connection: index => came.until(() => connections[index] ?? null),
    async [Symbol.asyncDispose]() {
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function read(bytes: Buffer): Heard {
  return {
    id: bytes.readUInt32BE(4),
    status: bytes.readUInt32BE(8),
    sequence: bytes.readUInt32BE(12),
    body: Buffer.from(bytes.subarray(16)),
  };
}
