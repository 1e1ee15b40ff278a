/** Argon2id in a thread of its own, one hash at a time and after all else. Each takes a core for 30 ms, which sends need on a busy machine. */
import type { argon2 } from 'node:crypto';
import { Worker } from 'node:worker_threads';

/** The thread's priority, as of the command `nice`: a third of the time of others while they want all of it. Other systems have none for a thread. */
const NICE = 5;

const PROGRAM = `
  const { argon2Sync } = require('node:crypto');
  const { setPriority } = require('node:os');
  const { parentPort } = require('node:worker_threads');
  try {
    if (process.platform === 'linux') setPriority(0, ${NICE});
  } catch {
    // Not allowed here: it works all the same.
  }
  parentPort.on('message', ({ id, parameters }) => {
    try {
      parentPort.postMessage({ id, tag: argon2Sync('argon2id', parameters) });
    } catch (error) {
      parentPort.postMessage({ id, error });
    }
  });
`;

/** The parts of a hash. */
type Argon2 = Parameters<typeof argon2>[1];

type Answer = { readonly id: number } & ({ readonly tag: Uint8Array } | { readonly error: unknown });

let thread: Worker | null = null;
let lastId = 0;
/** The callers that wait for a hash, by its id. */
const waiting = new Map<number, PromiseWithResolvers<Buffer>>();

/** The tag of argon2id. @throws errors of `argon2` */
export function argon2id(parameters: Argon2): Promise<Buffer> {
  thread ??= startThread();
  // The process does not end before its hashes.
  thread.ref();
  const asked = Promise.withResolvers<Buffer>();
  lastId += 1;
  waiting.set(lastId, asked);
  thread.postMessage({ id: lastId, parameters });
  return asked.promise;
}

function startThread(): Worker {
  const started = new Worker(PROGRAM, { eval: true, name: 'passwords' });
  started.on('message', (answer: Answer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) started.unref();
    if ('tag' in answer) asked?.resolve(Buffer.from(answer.tag));
    else asked?.reject(answer.error);
  });
  let why = new Error('The thread of passwords has ended.');
  started.on('error', error => {
    why = error;
  });
  // A thread without memory ends, for instance. The next hash starts another one.
  started.on('exit', () => {
    thread = null;
    for (const asked of waiting.values()) asked.reject(why);
    waiting.clear();
  });
  return started;
}
