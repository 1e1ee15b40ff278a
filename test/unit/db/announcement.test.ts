import fs from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Announcement,
  CHALLENGE_HEADER,
  createAnnouncement,
  findGateway,
  PROOF_HEADER,
} from '../../../src/db/data-dir/announcement.ts';

let dir: string;
const servers: Server[] = [];

beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'announced '));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await close(server);
  fs.rmSync(dir, { recursive: true, force: true });
});

async function serve(answer: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
}

const proving =
  ({ prove }: Announcement): RequestListener =>
  ({ headers }, response) =>
    void response.setHeader(PROOF_HEADER, prove(String(headers[CHALLENGE_HEADER])) ?? '').end();

describe('findGateway', () => {
  it('finds the announced gateway until it withdraws the announcement', async () => {
    expect(await findGateway(dir)).toBeNull();
    const announcement = createAnnouncement(dir, false);
    const { url } = await serve(proving(announcement));
    announcement.publish(url);
    expect(await findGateway(dir)).toEqual({ pid: process.pid, url });
    if (process.platform !== 'win32') expect(fs.statSync(join(dir, 'gateway.json')).mode & 0o777).toBe(0o600);
    announcement.withdraw();
    announcement.withdraw();
    expect(await findGateway(dir)).toBeNull();
    expect(fs.readdirSync(dir)).toEqual([]);
  });

  it('finds the last announced gateway, and an earlier one does not withdraw its announcement', async () => {
    const earlier = createAnnouncement(dir, false);
    earlier.publish((await serve(proving(earlier))).url);
    const later = createAnnouncement(dir, false);
    const { url } = await serve(proving(later));
    later.publish(url);
    earlier.withdraw();
    expect((await findGateway(dir))?.url).toBe(url);
  });

  it('finds no gateway when nothing listens at the address', async () => {
    const announcement = createAnnouncement(dir, true);
    const { server, url } = await serve(proving(announcement));
    announcement.publish(url);
    await close(server);
    expect(await findGateway(dir)).toBeNull();
  });

  it.each([
    ['knows no proof', () => null],
    ['repeats the challenge', (challenge: string) => challenge],
    ['repeats an older proof', (_: string, older: string) => older],
    ['is another gateway', (challenge: string) => createAnnouncement(tmpdir(), false).prove(challenge)],
  ])('is not taken in by a stranger on its port who %s', async (_who, answer) => {
    const announcement = createAnnouncement(dir, false);
    const older = announcement.prove('0'.repeat(64)) ?? '';
    const { url } = await serve(({ headers }, response) => {
      const proof = answer(String(headers[CHALLENGE_HEADER]), older);
      if (proof !== null) response.setHeader(PROOF_HEADER, proof);
      response.end('{"status":"ok"}');
    });
    announcement.publish(url);
    expect(await findGateway(dir)).toBeNull();
  });

  it('does not follow the redirect of another program', async () => {
    const announcement = createAnnouncement(dir, false);
    const { url } = await serve(proving(announcement));
    const stranger = await serve((_, response) => void response.writeHead(307, { location: `${url}/healthz` }).end());
    announcement.publish(stranger.url);
    expect(await findGateway(dir)).toBeNull();
  });

  it('gives up on a gateway that does not answer', async () => {
    const announcement = createAnnouncement(dir, false);
    announcement.publish((await serve(() => undefined)).url);
    expect(await findGateway(dir)).toBeNull();
  });

  it('finds no gateway in a file with other content, nor in a missing directory', async () => {
    fs.writeFileSync(join(dir, 'gateway.json'), '{"url":"http://127.0.0.1:4000"}');
    expect(await findGateway(dir)).toBeNull();
    expect(await findGateway(join(dir, 'none'))).toBeNull();
  });
});

describe('an announcement', () => {
  it('gives no proof for an invalid challenge', () => {
    const { prove } = createAnnouncement(dir, false);
    for (const text of ['', 'x', 'A'.repeat(64), '0'.repeat(65)]) expect(prove(text)).toBeNull();
  });
});
