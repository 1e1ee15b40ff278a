import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../../../src/channels/contract.ts';
import { openProvider } from '../../../support/smpp/open-provider.ts';
import {
  answerTo,
  delivery,
  type Heard,
  ID,
  obliging,
  pdu,
  receipt,
  startScriptedSmsc,
} from '../../../support/smpp/scripted-smsc.ts';

const DELIVER_ANSWER = 0x80000000 + ID.deliver;
const DATA_ANSWER = 0x80000000 + ID.data;
const TRY_LATER = 0x64;

const delivered = (providerMessageId: string): Report => ({
  providerMessageId,
  status: 'delivered',
  errorCode: null,
  errorMessage: null,
});
const statuses = (answers: readonly Heard[]) => answers.map(({ sequence, status }) => [sequence, status]);

describe('a receipt', () => {
  test('is answered when it is stored, not before', async () => {
    await using smsc = await startScriptedSmsc();
    const stored = Promise.withResolvers<void>();
    await using open = openProvider({ port: smsc.port }, () => stored.promise);
    await open.link(true);
    const { write, of, heard } = await smsc.connection(0);
    write(receipt(5, 'm1'), pdu(ID.enquire, 6));
    await of(0x80000000 + ID.enquire, 1);
    expect(heard.filter(({ id }) => id === DELIVER_ANSWER)).toEqual([]);
    expect(open.groups).toEqual([[delivered('m1')]]);
    stored.resolve();
    expect(statuses(await of(DELIVER_ANSWER, 1))).toEqual([[5, 0]]);
  });

  test('that could not be stored is asked for again, and stored then', async () => {
    await using smsc = await startScriptedSmsc();
    let isBroken = true;
    await using open = openProvider({ port: smsc.port }, async () => {
      if (isBroken) throw new Error('the database is away');
    });
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    write(receipt(5, 'm1'));
    expect(statuses(await of(DELIVER_ANSWER, 1))).toEqual([[5, TRY_LATER]]);
    isBroken = false;
    write(receipt(6, 'm1'));
    expect(statuses(await of(DELIVER_ANSWER, 2))).toEqual([
      [5, TRY_LATER],
      [6, 0],
    ]);
  });

  test('may come before the answer to its submit', async () => {
    await using smsc = await startScriptedSmsc({
      [ID.submit]: (heard, { write }) => write(receipt(1, 'm7'), answerTo(heard, 'm7\0')),
    });
    await using open = openProvider({ port: smsc.port });
    expect(await open.send()).toEqual({ kind: 'accepted', providerMessageId: 'm7' });
    expect(await open.reported(1)).toEqual([delivered('m7')]);
  });

  test('of another kind than a receipt is taken, and reports nothing', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    write(delivery(5, 0, 'STOP'), delivery(6, 0x20, 'id:m1 stat:ENROUTE'), receipt(7, 'm1', 'UNKNOWN'));
    // A text of a person is answered when it is stored.
    const answered = statuses(await of(DELIVER_ANSWER, 3));
    expect(answered.sort(([a = 0], [b = 0]) => a - b)).toEqual([
      [5, 0],
      [6, 0],
      [7, 0],
    ]);
    expect(open.groups).toEqual([]);
  });

  test('is not taken where what a person wrote cannot be stored', async () => {
    await using smsc = await startScriptedSmsc();
    const refuse = () => Promise.reject(new Error('the database is away'));
    await using open = openProvider({ port: smsc.port }, undefined, refuse);
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    write(delivery(5, 0, 'STOP'));
    expect(statuses(await of(DELIVER_ANSWER, 1))).toEqual([[5, 0x64]]);
  });

  test('may come as data_sm', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    const head = Buffer.from('\0\x01\x014917\0\x01\x01123\0\x04\0\0');
    const tlvs = Buffer.from('001e0003' + '6d3100' + '0427000102', 'hex');
    write(pdu(ID.data, 5, Buffer.concat([head, tlvs])));
    expect(statuses(await of(DATA_ANSWER, 1))).toEqual([[5, 0]]);
    expect(open.groups).toEqual([[delivered('m1')]]);
  });
});

describe('many receipts', () => {
  test('that come together are stored together, in order', async () => {
    await using smsc = await startScriptedSmsc();
    await using open = openProvider({ port: smsc.port });
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    const ids = Array.from({ length: 50 }, (_, index) => `m${index}`);
    write(...ids.map((id, index) => receipt(index + 1, id)));
    expect(statuses(await of(DELIVER_ANSWER, 50))).toEqual(ids.map((_, index) => [index + 1, 0]));
    expect(open.groups.flat()).toEqual(ids.map(delivered));
    expect(open.groups.length).toBeLessThanOrEqual(2);
  });

  test('that storm in after a reconnect are all stored, once each, beside the sends', async () => {
    const usual = obliging();
    const COUNT = 20_000;
    await using smsc = await startScriptedSmsc({
      [ID.bind](heard, connection) {
        usual(heard, connection);
        if (smsc.connections.length < 2) connection.socket.end();
        else connection.write(...Array.from({ length: COUNT }, (_, index) => receipt(index + 1, `r${index}`)));
      },
      // A refused receipt comes again, as from a real SMSC.
      [DELIVER_ANSWER]({ sequence, status }, { write }) {
        if (status !== 0) write(receipt(sequence, `r${sequence - 1}`));
      },
    });
    const stored = new Map<string, number>();
    await using open = openProvider({ port: smsc.port }, async reports => {
      await Promise.resolve();
      for (const { providerMessageId } of reports)
        stored.set(providerMessageId, (stored.get(providerMessageId) ?? 0) + 1);
    });
    const connection = await smsc.connection(1);
    await open.link(true);
    const sends = Promise.all(Array.from({ length: 500 }, () => open.send()));
    const answers = await connection.of(DELIVER_ANSWER, COUNT);
    while (answers.filter(({ status }) => status === 0).length < COUNT)
      answers.push(...(await connection.of(DELIVER_ANSWER, answers.length + 1)).slice(answers.length));
    expect(stored.size).toBe(COUNT);
    expect(new Set(stored.values())).toEqual(new Set([1]));
    expect(new Set((await sends).map(({ kind }) => kind))).toEqual(new Set(['accepted']));
  });

  test('that cannot be stored for long are held up to a bound, and the sends go on', async () => {
    await using smsc = await startScriptedSmsc();
    const stored = Promise.withResolvers<void>();
    await using open = openProvider({ port: smsc.port }, () => stored.promise);
    await open.link(true);
    const { write, of } = await smsc.connection(0);
    write(...Array.from({ length: 6_000 }, (_, index) => receipt(index + 1, `r${index}`)));
    const refused = await of(DELIVER_ANSWER, 1_000);
    expect(new Set(statuses(refused).map(([, status]) => status))).toEqual(new Set([TRY_LATER]));
    expect(refused[0]?.sequence).toBe(5_001);
    expect(await open.send()).toMatchObject({ kind: 'accepted' });
    stored.resolve();
    const answers = await of(DELIVER_ANSWER, 6_000);
    expect(answers.filter(({ status }) => status === 0)).toHaveLength(5_000);
  });
});

test('after a flood of sends, receipts, questions and lost answers nothing is kept', async () => {
  const usual = obliging();
  await using smsc = await startScriptedSmsc({
    [ID.submit](heard, connection) {
      // One of a hundred is never answered.
      if (heard.sequence % 100 !== 0) usual(heard, connection);
      connection.write(receipt(heard.sequence, `m${heard.sequence}`), pdu(ID.enquire, heard.sequence));
      connection.forget();
    },
  });
  await using open = openProvider({ port: smsc.port, window: 200, responseTimeoutMs: 500 });
  await open.link(true);
  const flood = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 4_000) await Promise.all(Array.from({ length: 4_000 }, () => open.send()));
    open.groups.length = 0;
  };
  await flood(4_000);
  const before = heapBytes();
  await flood(20_000);
  // 20,000 of anything would be more.
  expect(heapBytes() - before).toBeLessThan(2_000_000);
});

/** The used heap after a garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}
