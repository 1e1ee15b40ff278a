/**
 * Codes for a load that verifies OTPs: the gateway of the bench reads them off the texts handed to its provider. A local socket tells them,
 * a line `<recipient> <code>` for each. The provider still does all of its work.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Provider } from '../../../src/channels/contract.ts';

/** Said to whoever connects: from here on no code is missed. */
const GREETING = 'ready';

const CODE = /\d{4,10}/;
const WAIT_MAX_MS = 10_000;

/** Tells the codes of a provider's sends to whoever connects to `path`. */
export async function shareCodes(provider: Provider, path: string): Promise<void> {
  const readers = new Set<Socket>();
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy());
    socket.once('close', () => readers.delete(socket));
    socket.write(`${GREETING}\n`);
    readers.add(socket);
  });
  server.listen(path);
  await once(server, 'listening');
  let lines = '';
  const flush = (): void => {
    for (const reader of readers) reader.write(lines);
    lines = '';
  };
  const send = provider.send.bind(provider);
  provider.send = (request, signal) => {
    const code = CODE.exec(request.text)?.[0];
    // The lines of one turn of the event loop are one write: telling should cost next to nothing.
    if (code !== undefined && lines === '') setImmediate(flush);
    if (code !== undefined) lines += `${request.to} ${code}\n`;
    return send(request, signal);
  };
}

/** The codes that a gateway tells. */
export interface Codes {
  /** The code of the latest OTP to a recipient (digits only), once; waits for it. @throws Error if it does not come */
  take(recipient: string): Promise<string>;
  close(): void;
}

/** Listens to the codes that are told at `path`. */
export async function readCodes(path: string): Promise<Codes> {
  const socket = connect(path);
  const told = new Map<string, string>();
  const waiting = new Map<string, (code: string) => void>();
  const { promise: ready, resolve: greeted, reject } = Promise.withResolvers<void>();
  socket.once('error', reject);
  createInterface({ input: socket }).on('line', line => {
    if (line === GREETING) return greeted();
    const [recipient = '', code = ''] = line.split(' ');
    const take = waiting.get(recipient);
    waiting.delete(recipient);
    if (take) take(code);
    else told.set(recipient, code);
  });
  await ready;
  const wait = (recipient: string): Promise<string> => {
    const { promise, resolve, reject: fail } = Promise.withResolvers<string>();
    const timer = setTimeout(() => fail(new Error(`no code was told for ${recipient}`)), WAIT_MAX_MS);
    waiting.set(recipient, resolve);
    return promise.finally(() => clearTimeout(timer));
  };
  return {
    async take(recipient) {
      const code = told.get(recipient) ?? (await wait(recipient));
      told.delete(recipient);
      return code;
    },
    close: () => void socket.destroy(),
  };
}
