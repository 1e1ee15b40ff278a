/** Lets commands find the gateway of a data directory, which proves the key of its file first: ports and process ids may be another's. */
import cluster from 'node:cluster';
import { createHmac, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import { codeOf, explained } from './data-dir.ts';
import { readPrivateJson, writePrivateJson } from './private-file.ts';

interface RunningGateway {
  /** Its process id, which may be one of another container. */
  readonly pid: number;
  readonly url: string;
}

/** How other processes find this one. */
export interface Announcement {
  /** Writes this process's address to the data directory; the last writer is found. @throws StartError */
  publish(url: string): void;
  /** Removes the address, unless another process has written its own. */
  withdraw(): void;
  /** Proves to the sender of this challenge that this process, or one beside it, wrote the file; null if it is no valid challenge. */
  prove(challenge: string): string | null;
}

/** The header of `GET /healthz` that asks for a proof: 32 random bytes in hex. */
export const CHALLENGE_HEADER = 'x-heliograph-challenge';

/** The header of the answer: HMAC-SHA256 of the challenge under the announced key, in hex. */
export const PROOF_HEADER = 'x-heliograph-proof';

const GATEWAY_FILE = 'gateway.json';

/** The time-out for a proof. A busy gateway answers it, too. */
const PROOF_MS_MAX = 3_000;

const HEX_32_BYTES = /^[0-9a-f]{64}$/;

const NOTE = z.object({
  pid: z.int32().positive(),
  url: z.string(),
  key: z.string().regex(HEX_32_BYTES),
  /** Whether the process holds the lock file of the directory. */
  holdsLock: z.boolean(),
});
type Note = z.output<typeof NOTE>;

/** Prepares the announcement. `holdsLock`: whether this process holds the lock file of the directory. */
export function createAnnouncement(dataDir: string, holdsLock: boolean): Announcement {
  const key = newHex();
  return {
    publish: url => writePrivateJson(dataDir, GATEWAY_FILE, { pid: gatewayPid(), url, key, holdsLock } satisfies Note),
    withdraw: () => withdrawWhere(dataDir, note => note.key === key),
    prove: challenge => (HEX_32_BYTES.test(challenge) ? proofOf(keyShared(dataDir) ?? key, challenge) : null),
  };
}

/** The gateway that is announced here and proves itself, or null. @throws StartError if this user may not read the announcement */
export async function findGateway(dataDir: string): Promise<RunningGateway | null> {
  const note = explained(dataDir, () => readNote(dataDir));
  if (!note) return null;
  const challenge = newHex();
  try {
    const answer = await fetch(`${note.url}/healthz`, {
      headers: { [CHALLENGE_HEADER]: challenge },
      redirect: 'error',
      signal: AbortSignal.timeout(PROOF_MS_MAX),
    });
    await answer.body?.cancel();
    const isOurs = secretsEqual(answer.headers.get(PROOF_HEADER) ?? '', proofOf(note.key, challenge));
    return isOurs ? { pid: note.pid, url: note.url } : null;
  } catch {
    return null;
  }
}

/** The announced holder of the lock file, or null. Valid only while the lock is held. */
export function holderOf(dataDir: string): RunningGateway | null {
  const note = readNote(dataDir);
  return note?.holdsLock ? { pid: note.pid, url: note.url } : null;
}

/** Removes the announcement of the lock's former holder. Call it only while holding the lock. */
export function withdrawHolder(dataDir: string): void {
  withdrawWhere(dataDir, note => note.holdsLock);
}

/** The process that a signal stops the gateway by. */
function gatewayPid(): number {
  return cluster.isWorker ? process.ppid : process.pid;
}

/** The announced key, where this process serves beside others: any of them may be asked, and the last one has written the file. */
function keyShared(dataDir: string): string | null {
  return cluster.isWorker ? (readNote(dataDir)?.key ?? null) : null;
}

function withdrawWhere(dataDir: string, isMeant: (note: Note) => boolean): void {
  const note = readNote(dataDir);
  if (note && isMeant(note)) fs.rmSync(join(dataDir, GATEWAY_FILE), { force: true });
}

function readNote(dataDir: string): Note | null {
  try {
    fs.accessSync(join(dataDir, GATEWAY_FILE), fs.constants.R_OK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  const read = NOTE.safeParse(readPrivateJson(dataDir, GATEWAY_FILE));
  return read.success ? read.data : null;
}

function proofOf(key: string, challenge: string): string {
  return createHmac('sha256', Buffer.from(key, 'hex')).update(challenge).digest('hex');
}

function newHex(): string {
  return randomBytes(32).toString('hex');
}
