/** The wait of a command for the process that holds the data directory: another command, or a gateway that starts or stops. */
import fs from 'node:fs';
import { join } from 'node:path';

/** A gateway may take so long to stop without a write. */
const STILL_MS_MAX = 30_000;

/** The directory that a command waits for, and how the wait is told. */
export interface WaitOptions {
  readonly dataDir: string;
  readonly say: (message: string) => void;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
}

/** Says that the command waits. @returns a check before each try: whether to wait on, as long as the holder writes files */
export function waitForHolder({ dataDir, say, now = () => performance.now() }: WaitOptions): () => boolean {
  say(`Another process works on the data directory ${dataDir}: waiting for it …`);
  let seen = { change: newestIn(dataDir), atMs: now() };
  return () => {
    const change = newestIn(dataDir);
    if (change !== seen.change) seen = { change, atMs: now() };
    return now() - seen.atMs < STILL_MS_MAX;
  };
}

/** The newest change of a file below a directory, in milliseconds since 1970. */
function newestIn(dataDir: string): number {
  const names = fs.readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
  return Math.max(...names.map(name => fs.lstatSync(join(dataDir, name), { throwIfNoEntry: false })?.mtimeMs ?? 0));
}
