/**
 * Where the command line finds the gateway that runs on a data directory, and how it knows that it is that one. A file may outlive
 * its gateway, its port may be another program's by then (or be another one in this container), and process numbers mean nothing
 * between containers: so who listens there has to show that it knows the key in the file before it is told anything.
 */
import { createHmac, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { secretsEqual } from '../../kernel/crypto/secrets.ts';
import { codeOf, explained } from './data-dir.ts';
import { readPrivateJson, writePrivateJson } from './private-file.ts';

/** A gateway that runs. */
export interface RunningGateway {
  /** Its number where it runs, which may be another container. */
  readonly pid: number;
  readonly url: string;
}

/** How this process is found. */
export interface Announcement {
  /** Writes where this process listens; the last one of a directory is found. @throws StartError */
  publish(url: string): void;
  /** Takes it back, unless another process has announced itself since. */
  withdraw(): void;
  /** Shows one who asks with this challenge that this process wrote the file; null where that is no challenge. */
  prove(challenge: string): string | null;
}

/** The header of `GET /healthz` that asks for a proof: 32 random bytes in hex. */
export const CHALLENGE_HEADER = 'x-heliograph-challenge';

/** The header of its answer: the HMAC-SHA256 of the challenge under the key of the announcement, in hex. */
export const PROOF_HEADER = 'x-heliograph-proof';

const GATEWAY_FILE = 'gateway.json';

/** How long a gateway may take to show who it is. It does so however much there is to do. */
const PROOF_MS_MAX = 3_000;

const HEX_32_BYTES = /^[0-9a-f]{64}$/;

const NOTE = z.object({
  pid: z.int32().positive(),
  url: z.string(),
  key: z.string().regex(HEX_32_BYTES),
  /** Whether it holds the lock of the directory, of which there is one. */
  holdsLock: z.boolean(),
});
type Note = z.output<typeof NOTE>;

/** Prepares how this process is found. `holdsLock`: whether it holds the lock of the directory. */
export function createAnnouncement(dataDir: string, holdsLock: boolean): Announcement {
  const key = newHex();
  return {
    publish: url => writePrivateJson(dataDir, GATEWAY_FILE, { pid: process.pid, url, key, holdsLock } satisfies Note),
    withdraw: () => withdrawWhere(dataDir, note => note.key === key),
    prove: challenge => (HEX_32_BYTES.test(challenge) ? proofOf(key, challenge) : null),
  };
}

/**
 * The gateway that announced itself in the directory and answers there, or null.
 *
 * @throws StartError when there is an announcement that this user may not read
 */
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

/** Who the announcement says that holds the lock of the directory; null where it does not. It holds only while the lock is held. */
export function holderOf(dataDir: string): RunningGateway | null {
  const note = readNote(dataDir);
  return note?.holdsLock ? { pid: note.pid, url: note.url } : null;
}

/** Takes back what a former holder of the lock announced; only who holds it now may say so. */
export function withdrawHolder(dataDir: string): void {
  withdrawWhere(dataDir, note => note.holdsLock);
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
