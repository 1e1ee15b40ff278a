/** Kannel (Debian: kannel, kannel-extras): a gateway that takes messages by HTTP, and hands them to an SMSC. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { kannelConfig, type Ports, type SmppPeer } from './kannel-config.ts';

const BEARERBOX = '/usr/sbin/bearerbox';
const SMSBOX = '/usr/sbin/smsbox';
const FAKESMSC = '/usr/lib/kannel/test/fakesmsc';

/** How long a part of Kannel may take until it says what is waited for. */
const LINE_MS = 30_000;

/** Why tests with Kannel cannot run here, printed; null: they can. */
export function missingKannel(): string | null {
  const absent = [BEARERBOX, SMSBOX, FAKESMSC].filter(path => !existsSync(path));
  if (absent.length === 0) return null;
  const reason = `not installed (packages kannel and kannel-extras): ${absent.join(', ')}`;
  console.info(`Tests with Kannel are skipped: ${reason}.`);
  return reason;
}

/** The user of Kannel's HTTP interface. */
export const KANNEL_USER = { username: 'tester', password: 'foobar' } as const;

/** A Kannel that runs. */
export interface Kannel extends AsyncDisposable {
  /** Where messages are taken. */
  readonly sendsmsUrl: string;
  /** Waits for the next message that has come to the SMSC `fake`: sender, recipient and text. */
  arrival(): Promise<readonly string[]>;
}

/** Starts Kannel, and waits until it is joined to its SMSC: one of its own that only listens (`fake`), or one by SMPP. */
export async function startKannel(smsc: 'fake' | SmppPeer, isLoaded = false): Promise<Kannel> {
  const folder = await mkdtemp(join(tmpdir(), 'kannel-'));
  const ports = await freePorts();
  const config = join(folder, 'kannel.conf');
  const spool = isLoaded ? { folder: join(folder, 'spool') } : null;
  if (spool) await mkdir(spool.folder);
  await writeFile(config, kannelConfig(ports, smsc, KANNEL_USER, spool));
  const parts: Part[] = [];
  const start = (command: string, ...args: string[]): Part => {
    const part = new Part(command, args, folder);
    // The one that was started last ends first.
    parts.unshift(part);
    return part;
  };
  const stop = async () => {
    for (const part of parts) await part.stop();
    await rm(folder, { recursive: true });
  };
  const statusPage = `http://127.0.0.1:${ports.admin}/status.txt?password=adminpw`;
  /** Under load it is to tell of nothing, so that its pages are asked how it is. */
  const startQuietly = async (): Promise<null> => {
    start(BEARERBOX, '-v', '4', config);
    await answers(statusPage, /Kannel bearerbox/);
    start(SMSBOX, '-v', '4', config);
    await answers(statusPage, /\(online/);
    await answers(`http://127.0.0.1:${ports.sendsms}/`, /./);
    return null;
  };
  const startHeard = async (): Promise<Part | null> => {
    const bearerbox = start(BEARERBOX, '-v', '1', config);
    await bearerbox.line(/Start-up done/);
    await start(SMSBOX, '-v', '1', config).line(/Connected to bearerbox/);
    const listener =
      smsc === 'fake' ? start(FAKESMSC, '-H', '127.0.0.1', '-r', String(ports.fake), '-m', '0', 'x') : null;
    // What it says of a bind comes in blocks: its page is asked.
    if (listener) await bearerbox.line(/Fakesmsc client connected/);
    else await answers(statusPage, /\(online/);
    return listener;
  };
  try {
    const listener = isLoaded ? await startQuietly() : await startHeard();
    return {
      sendsmsUrl: `http://127.0.0.1:${ports.sendsms}/cgi-bin/sendsms`,
      async arrival() {
        if (!listener) throw new Error('only the SMSC fake tells what arrives');
        return (await listener.line(/Got message \d+: <(\S+) (\S+) text (.*)>$/)).slice(1);
      },
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until a page says so. @throws where it does not in time */
async function answers(page: string, pattern: RegExp): Promise<void> {
  for (const endsMs = performance.now() + LINE_MS; performance.now() < endsMs; await wait(50)) {
    const text = await fetch(page).then(
      response => response.text(),
      () => '',
    );
    if (pattern.test(text)) return;
  }
  throw new Error(`${page} does not say ${pattern}`);
}

/** A process of Kannel, and what it says. */
class Part {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** Lines that nobody has waited for yet. */
  #lines: string[] = [];
  #onLine: () => void = () => undefined;

  constructor(command: string, args: readonly string[], folder: string) {
    this.#name = command;
    this.#child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exit = once(this.#child, 'exit');
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      if (!output) continue;
      createInterface({ input: output }).on('line', line => {
        this.#lines.push(line);
        this.#onLine();
      });
    }
  }

  /** Waits for the next line that matches; those before it are over. @throws where the process ends before, or says nothing such in time */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const fail = () => reject(new Error(`${this.#name} did not say ${pattern}: ${this.#lines.slice(-8).join(' | ')}`));
    const timer = setTimeout(fail, LINE_MS);
    this.#child.once('exit', fail);
    this.#onLine = () => {
      for (const [index, line] of this.#lines.entries()) {
        const match = pattern.exec(line);
        if (!match) continue;
        this.#lines = this.#lines.slice(index + 1);
        resolve(match);
        return;
      }
    };
    this.#onLine();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#child.off('exit', fail);
      this.#onLine = () => undefined;
    });
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    await this.#exit;
  }
}

/** Ports of 127.0.0.1 that were free a moment ago, each another one: Kannel must be told its ports. */
async function freePorts(): Promise<Ports> {
  const free = async (): Promise<Server> => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const servers = { admin: await free(), smsbox: await free(), sendsms: await free(), fake: await free() };
  const portOf = (server: Server): number => {
    const address = server.address();
    server.close();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const { admin, smsbox, sendsms, fake } = servers;
  return { admin: portOf(admin), smsbox: portOf(smsbox), sendsms: portOf(sendsms), fake: portOf(fake) };
}
