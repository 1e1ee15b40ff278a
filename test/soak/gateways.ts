/** Gateways that are killed and started again, at the same port, on the same data directory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Child, startChild, stopChild } from '../bench/kit/children.ts';
import { START, untilListening } from '../bench/kit/gateway.ts';
import { freePort } from '../support/processes/free-ports.ts';

/** The operator's token of all gateways of a soak. */
export const OPERATOR_TOKEN = Buffer.alloc(32, 5).toString('base64url');

/** A gateway that comes back. */
export interface LastingGateway {
  readonly url: string;
  /** Of the process that runs now; null: none does. */
  pid(): number | null;
  /** Ends it at once, and starts it again. */
  restart(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
  /** The end of what it wrote. */
  errors(): string;
}

/** Starts a gateway. @param env settings beside those that every one of a soak has */
export async function startLasting(
  databaseUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<LastingGateway> {
  const dataDir = await mkdtemp(join(tmpdir(), 'heliograph-soak-'));
  const port = await freePort();
  let child: Child;
  let isOver = false;
  /** As a supervisor does: what ends before it listens, as where the database is away, is started again. */
  const start = async (): Promise<void> => {
    for (;;) {
      child = startChild(process.execPath, START, {
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        OPERATOR_TOKEN,
        SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        PORT: String(port),
        LOG_LEVEL: 'warn',
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        ...env,
      });
      try {
        await untilListening(child);
        return;
      } catch (error) {
        if (isOver) throw error;
      }
    }
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    pid: () =>
      child.process.exitCode === null && child.process.signalCode === null ? (child.process.pid ?? null) : null,
    async restart() {
      const ended = new Promise(resolve => child.process.once('exit', resolve));
      child.process.kill('SIGKILL');
      await ended;
      await start();
    },
    signal: signal => void child.process.kill(signal),
    async stop() {
      isOver = true;
      child.process.kill('SIGCONT');
      await stopChild(child);
      await rm(dataDir, { recursive: true, force: true });
    },
    errors: () => child.errors(),
  };
}
