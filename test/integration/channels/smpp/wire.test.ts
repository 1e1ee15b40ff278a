import { describe, expect, test } from 'vitest';
import type { SendRequest } from '../../../../src/channels/contract.ts';
import { openProvider } from '../../../support/smpp/open-provider.ts';
import { missing } from '../../../support/smpp/programs.ts';
import { ID, pdu, startScriptedSmsc } from '../../../support/smpp/scripted-smsc.ts';
import { type Dissected, dissect } from '../../../support/smpp/tshark.ts';

const absent = missing(['tshark']);

const FIELDS = [
  'smpp.source_addr_ton',
  'smpp.source_addr_npi',
  'smpp.source_addr',
  'smpp.dest_addr_ton',
  'smpp.dest_addr_npi',
  'smpp.destination_addr',
  'smpp.data_coding',
  'smpp.esm.submit.features',
  'smpp.regdel.receipt',
  'smpp.validity_period_r',
  'smpp.message',
  'smpp.message_text',
  'smpp.message_payload',
  'gsm_sms.udh.mm.msg_id',
  'gsm_sms.udh.mm.msg_parts',
  'gsm_sms.udh.mm.msg_part',
  'smpp.sar_msg_ref_num',
  'smpp.sar_total_segments',
  'smpp.sar_segment_seqnum',
  '_ws.malformed',
];

/** Sends a text, and answers what tshark says was sent. */
async function sent(request: Partial<SendRequest>, longMessages = 'udh8'): Promise<Dissected[]> {
  await using smsc = await startScriptedSmsc();
  await using open = openProvider({ port: smsc.port, longMessages });
  expect(await open.send(request)).toMatchObject({ kind: 'accepted' });
  const submits = await (await smsc.connection(0)).of(ID.submit, 1);
  const dissected = await dissect(
    submits.map(({ id, sequence, body }) => pdu(id, sequence, body)),
    FIELDS,
  );
  for (const one of dissected) expect(one['_ws.malformed']).toBeUndefined();
  return dissected;
}

const values = (dissected: readonly Dissected[], field: string) => dissected.map(one => one[field]);
const numbers = (dissected: readonly Dissected[], field: string) => dissected.map(one => Number(one[field]));

/** The text of parts: GSM 7 as tshark reads it; UTF-16, of which it knows no pairs, by the bytes that it shows. */
function textOf(dissected: readonly Dissected[]): string {
  return dissected
    .map(one => {
      const hex = one['smpp.message_payload'] ?? one['smpp.message'] ?? '';
      if (one['smpp.data_coding'] === '0x00' && one['smpp.message_text'] !== undefined) return one['smpp.message_text'];
      const header = one['gsm_sms.udh.mm.msg_part'] === undefined ? 0 : Number.parseInt(hex.slice(0, 2), 16) + 1;
      return new TextDecoder('utf-16be').decode(Buffer.from(hex, 'hex').subarray(header));
    })
    .join('');
}

const GSM_LONG = `${'a'.repeat(152)}€${'@é[]~'.repeat(30)}`;
const UCS2_LONG = `${'я'.repeat(66)}😀${'中'.repeat(66)}`;

describe.skipIf(absent !== null)('by tshark', () => {
  test.each([
    ['GSM 7', '@ € {x} é', '0x00'],
    ['UCS-2', 'Ж😀 中', '0x08'],
  ])('a short text of %s is what was meant', async (_encoding, text, coding) => {
    const dissected = await sent({ text });
    expect(dissected).toHaveLength(1);
    expect(values(dissected, 'smpp.data_coding')).toEqual([coding]);
    expect(textOf(dissected)).toBe(text);
  });

  test('the addresses, the validity and the receipt are what was meant', async () => {
    expect(await sent({ from: 'ACME', to: '4917012345678', validitySeconds: 600 })).toMatchObject([
      {
        'smpp.source_addr_ton': '0x05',
        'smpp.source_addr_npi': '0x00',
        'smpp.source_addr': 'ACME',
        'smpp.dest_addr_ton': '0x01',
        'smpp.dest_addr_npi': '0x01',
        'smpp.destination_addr': '4917012345678',
        'smpp.esm.submit.features': '0x00',
        'smpp.regdel.receipt': '0x01',
        'smpp.validity_period_r': '600.000000000',
      },
    ]);
  });

  describe.each([
    ['GSM 7', GSM_LONG],
    ['UCS-2', UCS2_LONG],
  ])('a long text of %s', (_encoding, text) => {
    test.each(['udh8', 'udh16'])('has a header by %s', async longMessages => {
      const dissected = await sent({ text }, longMessages);
      expect(dissected).toHaveLength(3);
      expect(values(dissected, 'smpp.esm.submit.features')).toEqual(Array(3).fill('0x01'));
      expect(new Set(numbers(dissected, 'gsm_sms.udh.mm.msg_id')).size).toBe(1);
      expect(numbers(dissected, 'gsm_sms.udh.mm.msg_parts')).toEqual([3, 3, 3]);
      expect(numbers(dissected, 'gsm_sms.udh.mm.msg_part')).toEqual([1, 2, 3]);
      expect(textOf(dissected)).toBe(text);
    });

    test('has parameters by sar', async () => {
      const dissected = await sent({ text }, 'sar');
      expect(values(dissected, 'smpp.esm.submit.features')).toEqual(Array(3).fill('0x00'));
      expect(new Set(numbers(dissected, 'smpp.sar_msg_ref_num')).size).toBe(1);
      expect(numbers(dissected, 'smpp.sar_total_segments')).toEqual([3, 3, 3]);
      expect(numbers(dissected, 'smpp.sar_segment_seqnum')).toEqual([1, 2, 3]);
      expect(textOf(dissected)).toBe(text);
    });

    test('is one by payload', async () => {
      const dissected = await sent({ text }, 'payload');
      expect(dissected).toHaveLength(1);
      expect(dissected[0]?.['smpp.message_payload']).toMatch(/^[0-9a-f]+$/);
      expect(textOf(dissected)).toBe(text);
    });
  });
});
