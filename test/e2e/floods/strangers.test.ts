import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, type Demo, type DemoGateway, send, startDemoGateway, until } from '../../support/processes/gateway.ts';
import { residentBytes } from '../../support/resident-memory.ts';

const STRANGERS = 6_000;
const MIB = 1024 * 1024;

/** The bound of the bodies of all strangers together. */
const BOUND = 32 * MIB;

/** The bound of growth: the bodies, the connections, and garbage that is yet to be collected. Unbounded, it was 440 MiB. */
const GROWTH_MAX = 200 * MIB;

/** How long they may take to come, on a machine that is busy. */
const PATIENCE_MS = 120_000;

const why = whyNot();
if (why !== null) process.stderr.write(`strangers.test.ts: left out, for ${why}\n`);

function whyNot(): string | null {
  if (!existsSync('/proc/self/status')) return 'this system does not tell the memory of a process';
  const files = execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).trim();
  return files === 'unlimited' || Number(files) > STRANGERS + 1_000 ? null : `only ${files} files may be open`;
}

describe.skipIf(why !== null)(`${STRANGERS} strangers who send most of a body and stop`, () => {
  let gateway: DemoGateway;
  let demo: Demo;
  let strangers: Socket[] = [];

  beforeAll(async () => {
    gateway = await startDemoGateway();
    demo = gateway.demo;
  });
  afterAll(async () => {
    for (const stranger of strangers) stranger.destroy();
    gateway.kill('SIGTERM');
    await gateway.exited;
  });

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  /** Opens so many connections, a few hundred at a time, and writes to each. */
  async function come(head: string, body: Buffer): Promise<void> {
    const { port } = new URL(gateway.url);
    for (let index = 0; index < STRANGERS; index += 200) {
      const some = Array.from({ length: 200 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
      strangers.push(...some);
      await Promise.all(
        some.map(stranger => new Promise(resolve => stranger.once('connect', resolve).once('close', resolve))),
      );
      for (const stranger of some) stranger.resume().write(head);
      for (const stranger of some) stranger.write(body);
    }
  }

  test.each([
    ['of a known length', 'Content-Length: 65536', Buffer.alloc(65_000, 'a')],
    ['in chunks', 'Transfer-Encoding: chunked', Buffer.from(`ffff\r\n${'a'.repeat(65_000)}`)],
  ])('%s: are refused beyond the bound, and callers with live tokens are answered', async (_title, header, body) => {
    await send(gateway, demo.tokens.unified);
    const idle = residentBytes(gateway.pid);
    const refusedBefore = await metric('heliograph_shed_total');
    let haveCome = false;
    const coming = come(`POST /api/omni/send HTTP/1.1\r\nHost: gateway.test\r\n${header}\r\n\r\n`, body).then(() => {
      haveCome = true;
    });
    const held: number[] = [];
    const grown: number[] = [];
    await until(
      'all have come',
      async () => {
        held.push(await metric('heliograph_buffered_bytes'));
        grown.push(residentBytes(gateway.pid) - idle);
        // A token that is known, and one that was not seen before the strangers came.
        expect((await send(gateway, demo.tokens.unified)).status).toBe(200);
        await ask(gateway, demo.tokens.sms, '{ balance { credits } }');
        return haveCome || null;
      },
      PATIENCE_MS,
    );
    await coming;
    // Those of accounts, the senders of this test, stand beside them.
    expect(Math.max(...held)).toBeLessThanOrEqual(BOUND + MIB);
    expect(Math.max(...held)).toBeGreaterThan(BOUND / 2);
    expect(Math.max(...grown)).toBeLessThan(GROWTH_MAX);
    expect((await metric('heliograph_shed_total')) - refusedBefore).toBeGreaterThan(0);
    for (const stranger of strangers) stranger.destroy();
    strangers = [];
    await expect.poll(() => metric('heliograph_buffered_bytes'), { timeout: 60_000, interval: 500 }).toBe(0);
  });
});
