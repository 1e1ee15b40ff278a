/** Ports for servers that must be told one, and for such as come back to the one that they had. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** None of these does a system give to a connection by itself, as it may give others while nobody listens there. */
const PORTS = [15_000, 32_000] as const;

/** A TCP port of 127.0.0.1 that was free a moment ago, for a program that must be told one. */
export async function freePort(): Promise<number> {
  return (await freePorts('only')).only;
}

/** Several of them by their names, each another one. */
export async function freePorts<Name extends string>(...names: readonly Name[]): Promise<Record<Name, number>> {
  const ports = new Map<number, Name>();
  for (const name of names) {
    let port: number;
    do port = randomInt(...PORTS);
    while (ports.has(port) || !(await isFree(port)));
    ports.set(port, name);
  }
  return Object.fromEntries([...ports].map(([port, name]) => [name, port])) as Record<Name, number>;
}

/** Whether somebody may listen there. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
