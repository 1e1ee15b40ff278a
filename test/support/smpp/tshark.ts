/** PDUs as tshark's SMPP dissector reads them: it shares no code with ours. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One PDU as tshark says it is: the fields that were asked for and that it has, by their names in tshark. */
export type Dissected = Readonly<Record<string, string>>;

/** Dissects PDUs, as if each had come in a packet of its own. */
export async function dissect(pdus: readonly Buffer[], fields: readonly string[]): Promise<Dissected[]> {
  const folder = await mkdtemp(join(tmpdir(), 'smpp-tshark-'));
  try {
    const [dump, capture] = [join(folder, 'pdus.hex'), join(folder, 'pdus.pcap')] as const;
    await writeFile(dump, pdus.map(hexDump).join('\n'));
    await run('text2pcap', ['-q', '-T', '50000,2775', dump, capture]);
    // The SMSC's default alphabet is GSM 7, an octet a septet.
    const how = [
      '-d',
      'tcp.port==2775,smpp',
      '-o',
      'smpp.decode_sms_over_smpp:GSM 7-bit',
      '-o',
      'smpp.gsm7_unpacked:TRUE',
    ];
    const args = ['-r', capture, ...how, '-T', 'json', ...fields.flatMap(field => ['-e', field])];
    const { stdout } = await run('tshark', args, { maxBuffer: 64 * 1_048_576 });
    return JSON.parse(stdout).map(({ _source: { layers } }: { _source: { layers: Record<string, string[]> } }) =>
      Object.fromEntries(Object.entries(layers).map(([name, values]) => [name, values.join(',')])),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Bytes as text2pcap reads them: an offset, which is 0 where a packet begins, and bytes in hex. */
function hexDump(bytes: Buffer): string {
  const rows = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, row) =>
    bytes.subarray(row * 16, row * 16 + 16),
  );
  return rows
    .map(
      (row, index) =>
        `${(index * 16).toString(16).padStart(6, '0')} ${[...row].map(byte => byte.toString(16).padStart(2, '0')).join(' ')}`,
    )
    .join('\n')
    .concat('\n');
}
