import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { HOOKS_TEST_CERTIFICATE, HOOKS_TEST_KEY } from '../../../support/outbound/certificate.ts';
import { freePort } from '../../../support/processes/free-ports.ts';
import { openProvider } from '../../../support/smpp/open-provider.ts';
import { missing, type PerlSmsc, startPerlSmsc, startProgram } from '../../../support/smpp/programs.ts';

const absent = missing(['libnet-smpp-perl', 'stunnel4']);

const RIGHT = { ca: HOOKS_TEST_CERTIFICATE, servername: 'hooks.test' };

/** stunnel in front of an SMSC, with a certificate for `hooks.test` that is its own authority. */
interface Tunnel extends AsyncDisposable {
  readonly port: number;
}

async function startTunnel({ port: behind }: PerlSmsc): Promise<Tunnel> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'smpp-tls-'));
  starting.defer(() => rm(folder, { recursive: true }));
  const port = await freePort();
  const file = (name: string): string => join(folder, name);
  await writeFile(file('cert.pem'), HOOKS_TEST_CERTIFICATE);
  await writeFile(file('key.pem'), HOOKS_TEST_KEY, { mode: 0o600 });
  const service = [
    '[smpp]',
    `accept = 127.0.0.1:${port}`,
    `connect = 127.0.0.1:${behind}`,
    `cert = ${file('cert.pem')}`,
    `key = ${file('key.pem')}`,
  ];
  await writeFile(file('stunnel.conf'), ['foreground = yes', 'pid =', ...service, ''].join('\n'));
  await starting.use(startProgram('/usr/bin/stunnel4', [file('stunnel.conf')])).line(/Configuration successful/);
  const started = starting.move();
  return { port, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

describe.skipIf(absent !== null)('TLS by stunnel', () => {
  test('with the right authority and name sends, and takes receipts', async () => {
    await using smsc = await startPerlSmsc();
    await using tunnel = await startTunnel(smsc);
    await using open = openProvider({ port: tunnel.port, tls: RIGHT });
    const outcome = await open.send();
    const [submit] = await smsc.submitted(1);
    expect(outcome).toEqual({ kind: 'accepted', providerMessageId: submit?.id });
    expect(await open.reported(1)).toMatchObject([{ providerMessageId: submit?.id, status: 'delivered' }]);
  });

  test.each([
    ['another authority', { ...RIGHT, ca: rootCertificates[0] }, /signed by nobody who is believed/],
    ['the well-known authorities', true, /signed by nobody who is believed/],
    ['another name', { ...RIGHT, servername: 'other.test' }, /is for another name/],
    ['no name but the address', { ca: RIGHT.ca }, /is for another name/],
  ])('with %s is refused before a password is sent', async (_what, tls, error) => {
    await using smsc = await startPerlSmsc();
    await using tunnel = await startTunnel(smsc);
    await using refused = openProvider({ port: tunnel.port, systemId: 'refused', tls });
    expect((await refused.link(false)).error).toMatch(error);
    expect(await refused.send()).toMatchObject({ kind: 'unavailable', code: 'not_bound' });
    // A bind before this one would stand before it in the output.
    await using open = openProvider({ port: tunnel.port, tls: RIGHT });
    await open.link(true);
    expect(await smsc.matching(/^bind /, 1)).toEqual(['bind 9 0']);
  });
});
