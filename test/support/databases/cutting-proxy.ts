/**
 * A wire between a process and its PostgreSQL that is cut at a chosen statement: before the server has it, or after it is done.
 * The database sees the same as when the process is killed with kill -9. A test that wants the process killed as well is told just
 * before the cut.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** When the wire is cut. */
export type FaultMode = 'before' | 'after';

/** Both ways to be cut. A process that dies while the server runs a statement is as after it: the server ends the statement all the same. */
export const FAULT_MODES: readonly FaultMode[] = ['before', 'after'];

/** The statement at which the wire is cut, from 0, counted since it was armed. */
export interface Fault {
  readonly at: number;
  readonly mode: FaultMode;
}

/** A wire that is up. */
export interface FaultWire {
  /** The URL to open the database by. */
  readonly url: string;
  /** Counts from 0 from now on, and takes connections again. Null: nothing happens. */
  arm(fault: Fault | null): void;
  /** Has the fault happen now. */
  cut(): void;
  /** The statements since then, shortened. */
  readonly statements: readonly string[];
  /** Whether the fault has happened. From then on nobody gets through. */
  hasStruck(): boolean;
  /** Resolves when the server has ended every session that was cut: nothing of them will be committed any more. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The statements that count, and who hears of the cut. */
export interface FaultWireOptions {
  /** Whether a statement counts, by its text. The `commit` of a transaction counts where one of its statements did. */
  readonly counts: (text: string) => boolean;
  /** Whether the commits of these transactions count alone: several may be open at once, and their statements between each other's. */
  readonly commitsOnly?: boolean;
  /** Called when the fault happens, before the connections are cut. */
  readonly onStrike?: () => void;
}

/** ReadyForQuery, without the byte that says whether the session is in a transaction. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** Opens a wire to a server by its URL (TCP, no TLS). */
export async function openFaultWire(
  databaseUrl: string,
  { counts, commitsOnly = false, onStrike = () => undefined }: FaultWireOptions,
): Promise<FaultWire> {
  const target = new URL(databaseUrl);
  const sessions = new Set<{ client: Socket; upstream: Socket }>();
  const statements: string[] = [];
  let fault: Fault | null = null;
  let isDead = false;
  let closing: Promise<unknown>[] = [];

  const strike = (): void => {
    isDead = true;
    onStrike();
    for (const { client, upstream } of sessions) {
      client.destroy();
      // Written bytes are still sent; then the server reads that there is nobody.
      upstream.end();
      if (!upstream.destroyed) closing.push(once(upstream, 'close'));
    }
  };

  const server = createServer(client => {
    if (isDead) {
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port || 5432), target.hostname).setNoDelay();
    const session = { client: client.setNoDelay(), upstream };
    sessions.add(session);
    const mark = { isWatched: false };
    const read = readStatements(counts, commitsOnly, (text, bytes) => {
      if (isDead) return;
      if (text !== null) statements.push(text.replace(/\s+/g, ' ').trim().slice(0, 60));
      const isHere = text !== null && fault?.at === statements.length - 1;
      if (isHere && fault?.mode === 'before') return strike();
      upstream.write(bytes);
      if (isHere) mark.isWatched = true;
    });
    client.on('data', read).on('error', () => undefined);
    client.on('close', () => upstream.end());
    upstream.on('data', chunk => {
      if (isDead) return;
      if (mark.isWatched) {
        // The rest of the answer is of no interest: nobody hears it.
        if (chunk.subarray(-READY.length - 1, -1).equals(READY)) strike();
        return;
      }
      client.write(chunk);
    });
    upstream
      .on('error', () => undefined)
      .on('close', () => {
        sessions.delete(session);
        client.destroy();
      });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the wire has no port');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${address.port}`;
  url.searchParams.set('sslmode', 'disable');
  const settled = async (): Promise<void> => {
    const waiting = closing;
    closing = [];
    await Promise.all(waiting);
  };
  return {
    url: url.href,
    arm(wanted) {
      fault = wanted;
      isDead = false;
      statements.length = 0;
    },
    cut: strike,
    statements,
    hasStruck: () => isDead,
    settled,
    async close() {
      server.close();
      for (const { client, upstream } of sessions) {
        client.destroy();
        upstream.destroy();
      }
      await once(server, 'close');
    },
  };
}

/**
 * Reads the bytes of a client (protocol 3.0 of PostgreSQL), and hands them over in pieces of one statement each. A statement that
 * counts comes with its text, another one with null.
 */
function readStatements(
  counts: (text: string) => boolean,
  commitsOnly: boolean,
  pass: (text: string | null, bytes: Buffer) => void,
) {
  const prepared = new Map<string, string>();
  let rest: Buffer = Buffer.alloc(0);
  let piece: Buffer[] = [];
  let isStarted = false;
  let text = '';
  /** Whether a statement of the transaction that is open counted. */
  let hasCounted = false;

  const readMessage = (type: string, body: Buffer): void => {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2);
    if (type === 'Q') text = first;
    if (type === 'P') prepared.set(first, second);
    if (type === 'B') text = prepared.get(second) ?? '';
  };

  const isCounted = (): boolean => {
    const word = text.trim().toLowerCase();
    if (word.startsWith('begin') || word === 'rollback') hasCounted = false;
    // A commit may have its bound in time before it, in the same message.
    const isCommit = /(^|; )commit$/.test(word);
    const result = isCommit ? hasCounted : counts(text);
    hasCounted ||= result;
    return result && (isCommit || !commitsOnly);
  };

  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const start = isStarted ? 1 : 0;
      if (rest.length < start + 4) return;
      const end = start + rest.readInt32BE(start);
      if (rest.length < end) return;
      const type = isStarted ? rest.toString('latin1', 0, 1) : '';
      if (isStarted) readMessage(type, rest.subarray(start + 4, end));
      piece.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      isStarted = true;
      if ('PBDEC'.includes(type) && type !== '') continue;
      const bytes = Buffer.concat(piece);
      piece = [];
      pass(text !== '' && isCounted() ? text : null, bytes);
      text = '';
    }
  };
}
