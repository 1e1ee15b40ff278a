/** Kannel (Debian: kannel): a gateway that takes messages by HTTP, and hands them to an SMSC. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../processes/free-ports.ts';
import { BEARERBOX, type Program, startProgram } from '../smpp/programs.ts';
import { kannelConfig, type Ports, type SmppPeer } from './kannel-config.ts';

const SMSBOX = '/usr/sbin/smsbox';

/** How long a part of Kannel may take until a page says what is waited for. */
const PAGE_MS = 30_000;

/** The user of Kannel's HTTP interface. */
export const KANNEL_USER = { username: 'tester', password: 'foobar' } as const;

/** A Kannel that runs. */
export interface Kannel extends AsyncDisposable {
  /** The URL that takes messages. */
  readonly sendsmsUrl: string;
}

/** Starts Kannel, with its queues on the disk, and waits until its parts are joined, and bound to its SMSC. @param inboundUrl as of `kannelConfig` */
export async function startKannel(smsc: SmppPeer, inboundUrl?: string): Promise<Kannel> {
  await using starting = new AsyncDisposableStack();
  const ports = await freePorts('admin', 'smsbox', 'sendsms');
  const bearerbox = starting.use(await startBearerbox(ports, smsc, inboundUrl));
  await bearerbox.says(/node1.*\(online/);
  const smsbox = starting.use(startPart(SMSBOX, bearerbox.config));
  await bearerbox.says(/smsbox:.*\(on-line/);
  const origin = `http://127.0.0.1:${ports.sendsms}`;
  await says(smsbox, `${origin}/`, /./);
  const started = starting.move();
  return { sendsmsUrl: `${origin}/cgi-bin/sendsms`, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

/** The part of Kannel that is bound to SMSCs, and that smsboxes join. */
interface Bearerbox extends AsyncDisposable {
  /** The file of its configuration, which is that of its smsbox too. */
  readonly config: string;
  /** Waits until its status page says so. */
  says(pattern: RegExp): Promise<void>;
}

/** Starts a bearerbox alone, and waits until it runs, whether its SMSC is there or not. */
export async function startBearerbox(ports: Ports, smsc: SmppPeer, inboundUrl?: string): Promise<Bearerbox> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'kannel-'));
  starting.defer(() => rm(folder, { recursive: true }));
  const [config, spool] = [join(folder, 'kannel.conf'), join(folder, 'spool')] as const;
  await mkdir(spool);
  await writeFile(config, kannelConfig(ports, smsc, KANNEL_USER, spool, inboundUrl));
  const program = starting.use(startPart(BEARERBOX, config));
  const page = `http://127.0.0.1:${ports.admin}/status.txt?password=adminpw`;
  await says(program, page, /^Status: running/m);
  const started = starting.move();
  return {
    config,
    says: pattern => says(program, page, pattern),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Starts a part of Kannel without a log, since logging costs much under load: its pages tell how it is. */
function startPart(command: string, config: string): Program {
  return startProgram(command, ['-v', '4', config]);
}

/** Waits until a page of a program says so. @throws Error where the page does not in time, or the program ends first */
async function says({ broken }: Program, page: string, pattern: RegExp): Promise<void> {
  for (const endsMs = performance.now() + PAGE_MS; performance.now() < endsMs; ) {
    const text = await fetch(page).then(
      response => response.text(),
      () => '',
    );
    if (pattern.test(text)) return;
    await Promise.race([wait(50), broken]);
  }
  throw new Error(`${page} does not say ${pattern}`);
}
