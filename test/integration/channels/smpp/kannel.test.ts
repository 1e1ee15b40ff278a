import { describe, expect, test } from 'vitest';
import { startBearerbox } from '../../../support/kannel/kannel.ts';
import { freePorts } from '../../../support/processes/free-ports.ts';
import { openProvider } from '../../../support/smpp/open-provider.ts';
import { DRIVE_SMPP, missing, type Program, startProgram } from '../../../support/smpp/programs.ts';

const absent = missing(['kannel', 'kannel-extras']);

const MESSAGES = 5;

/** `drive_smpp` binds to it as an smsbox, on this port alone. */
const SMSBOX_PORT = 13_001;

/** How often it said that it handled a PDU of a kind, when it has done so as often as this. */
const handled = (smsc: Program, kind: string, count: number): Promise<string[]> =>
  smsc.matching(new RegExp(`Handling SMPP PDU of type ${kind}$`), count);

describe.skipIf(absent !== null)('the SMSC of kannel-extras', () => {
  test('takes separate binds, gives no ids, sends texts, and asks whether we are there', async () => {
    const { port, ...ports } = await freePorts('port', 'admin', 'sendsms', 'nobody');
    // Without one `drive_smpp` does not run; it has nothing to do.
    const nobody = { port: ports.nobody, user: 'nobody', password: 'nothing' };
    await using _bearerbox = await startBearerbox({ ...ports, smsbox: SMSBOX_PORT }, nobody);
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
    // The SMSC may not have listened yet at the first try; the link was not lost since.
    expect(open.links.filter(({ isUp }) => isUp)).toHaveLength(1);
    expect(open.links.at(-1)).toEqual({ isUp: true, error: null });
  });
});
