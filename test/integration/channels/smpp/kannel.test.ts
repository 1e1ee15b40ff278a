import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openProvider } from '../../../support/smpp/open-provider.ts';
import { DRIVE_SMPP, freePort, missing, type Program, startProgram } from '../../../support/smpp/programs.ts';

const absent = missing(['kannel', 'kannel-extras']);

const MESSAGES = 5;

/** `drive_smpp` binds to it as an smsbox, on this port alone. */
const SMSBOX_PORT = 13_001;

/** A bearerbox that lets `drive_smpp` run. */
async function startBearerbox(): Promise<AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'smpp-kannel-'));
  const config = join(folder, 'bearerbox.conf');
  const core = [
    'group = core',
    `admin-port = ${await freePort()}`,
    'admin-interface = 127.0.0.1',
    `smsbox-port = ${SMSBOX_PORT}`,
    'smsbox-interface = 127.0.0.1',
    'admin-password = adminpw',
    'box-deny-ip = "*.*.*.*"',
    'box-allow-ip = "127.0.0.1"',
    'log-level = 1',
  ];
  const smsc = [
    'group = smsc',
    'smsc = fake',
    'host = 127.0.0.1',
    `port = ${await freePort()}`,
    'connect-allow-ip = 127.0.0.1',
  ];
  // It serves no port for smsboxes without the group of one.
  const smsbox = ['group = smsbox', 'bearerbox-host = 127.0.0.1', `sendsms-port = ${await freePort()}`];
  const service = ['group = sms-service', 'keyword = default', 'text = "none"'];
  await writeFile(config, [core, smsc, smsbox, service].map(group => `${group.join('\n')}\n`).join('\n'));
  const program = startProgram('/usr/sbin/bearerbox', [config]);
  await program.line(/Start-up done/);
  return {
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

/** How often it said that it handled a PDU of a kind, when it has done so as often as this. */
const handled = (smsc: Program, kind: string, count: number): Promise<string[]> =>
  smsc.matching(new RegExp(`Handling SMPP PDU of type ${kind}$`), count);

describe.skipIf(absent !== null)('the SMSC of kannel-extras', () => {
  test('takes separate binds, gives no ids, sends texts, and asks whether we are there', async () => {
    await using _bearerbox = await startBearerbox();
    const port = await freePort();
    await using smsc = startProgram(DRIVE_SMPP, ['-v', '0', '-p', String(port), '-m', String(MESSAGES)]);
    await smsc.line(/accept_thread\) maps/);
    await using open = openProvider({ port, bind: 'separate' });
    await open.link(true);
    expect(await open.send({ attemptId: 'att_1', text: 'Hello Kannel' })).toEqual({
      kind: 'accepted',
      providerMessageId: 'att_1',
    });
    await smsc.line(/submit_sm: short_message = <Hello Kannel>/);
    expect(await open.send({ attemptId: 'att_2', text: 'a'.repeat(307) })).toEqual({
      kind: 'accepted',
      providerMessageId: 'att_2',
      partIds: ['att_2', 'att_2.2', 'att_2.3'],
    });
    expect(await handled(smsc, 'bind_transmitter', 1)).toHaveLength(1);
    expect(await handled(smsc, 'bind_receiver', 1)).toHaveLength(1);
    expect(await handled(smsc, 'enquire_link_resp', MESSAGES)).toHaveLength(MESSAGES);
    expect(await handled(smsc, 'deliver_sm_resp', MESSAGES)).toHaveLength(MESSAGES);
    expect(open.groups).toEqual([]);
    // It may not have listened yet at the first try; the link was not lost since.
    expect(open.links.filter(({ isUp }) => isUp)).toHaveLength(1);
    expect(open.links.at(-1)).toEqual({ isUp: true, error: null });
  });
});
