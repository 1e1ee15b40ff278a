import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/kernel/errors.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { type ListLogsInput, type LogFilter, listLogsInput } from '../../../src/modules/logs/log-filter.input.ts';
import { matchesFilter, readLogFilter } from '../../../src/modules/logs/log-filter.policy.ts';
import { makeAttempt } from '../../support/logs/log-rows.ts';
import { readInput } from '../../support/refusal.ts';

const accountId = newId('acc');
const CONNECTION = newId('con');

function faultsOf(input: unknown): string[] {
  try {
    readInput(listLogsInput, input);
    return [];
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error;
    return (error.details.errors ?? []).map(fault => fault.field);
  }
}

describe('the input of the log', () => {
  test.each<ListLogsInput>([
    {},
    { first: null, after: null, filter: null },
    { first: 1 },
    { first: 200, filter: {} },
    { filter: { statuses: ['failed', 'expired'], errorCodes: ['no_route'], provider: 'none', country: 'DE' } },
    { filter: { country: 'none', connectionId: 'con_1' } },
    { filter: { recipient: 'US.13491208655302741918' } },
    { filter: { recipient: '12345' } },
    { filter: { recipient: '0301234567' } },
    { filter: { recipient: 'MYBANK' } },
    { filter: { recipient: '+1 202-555-0100', channel: null, type: 'otp_blocked', from: new Date(0), to: new Date() } },
  ])('takes %j', input => {
    expect(faultsOf(input)).toEqual([]);
  });

  test.each([0, 201, -1, 1.5, Number.NaN, '50'])('refuses %s entries a page', first => {
    expect(faultsOf({ first })).toEqual(['first']);
  });

  test.each([
    ['recipient', ''],
    ['recipient', '+1202555'],
    ['recipient', '202 555'],
    ['recipient', 'US.1\u0000'],
    ['recipient', 'x'.repeat(256)],
    ['channel', 'SMS'],
    ['status', 'gone'],
    ['statuses', []],
    ['type', 'attempt'],
    ['country', 'de'],
    ['country', 'XX'],
    ['provider', ''],
    ['connectionId', 'x'.repeat(65)],
    ['errorCodes', []],
    ['reference', 'with blank'],
    ['reference', 'x'.repeat(256)],
    ['sender', '\u0000'],
    ['sender', ''],
    ['pinId', 'x'.repeat(65)],
    ['errorCode', ''],
    ['errorCode', 'x'.repeat(65)],
    ['from', new Date(Number.NaN)],
    ['to', '2026-01-01'],
  ])('refuses the %s %j', (field, value) => {
    expect(faultsOf({ filter: { [field]: value } })).toEqual([`filter.${field}`]);
  });

  test('refuses a time that ends before it begins', () => {
    expect(faultsOf({ filter: { from: new Date(1), to: new Date(0) } })).toEqual(['filter.from']);
    expect(faultsOf({ filter: { from: new Date(0), to: new Date(0) } })).toEqual([]);
  });

  test('names a field that it does not know', () => {
    expect(faultsOf({ filter: { recipients: [] } })).toEqual(['filter.recipients']);
  });
});

/** The id that is a number of steps away from another one. */
function idBeside(id: string, steps: bigint): string {
  return `att_${(BigInt(`0x${id.slice(4)}`) + steps).toString(16).padStart(32, '0')}`;
}

describe('a filter of the log', () => {
  const passes = (given: Parameters<typeof makeAttempt>[1], filter: Parameters<typeof readLogFilter>[1]): boolean => {
    const criteria = readLogFilter({ accountId }, filter);
    return criteria !== null && matchesFilter(makeAttempt(accountId, given), criteria);
  };

  test('reads a recipient in any way in which it is written', () => {
    expect(passes({ recipient: '12025550100' }, { recipient: '+1 (202) 555-0100' })).toBe(true);
    expect(passes({ recipient: '12025550101' }, { recipient: '+1 (202) 555-0100' })).toBe(false);
  });

  test('knows people without a phone number by the id of their channel', () => {
    expect(passes({ recipient: 'US.1349' }, { recipient: ' US.1349 ' })).toBe(true);
    expect(passes({ recipient: 'US.1349' }, { recipient: 'US.134' })).toBe(false);
  });

  test('reads a chat number as people write it, and a sender of digits as it is', () => {
    expect(passes({ sender: '15550000001' }, { sender: '+1 555 000 0001' })).toBe(true);
    expect(passes({ sender: '12345' }, { sender: '12345' })).toBe(true);
    expect(passes({ sender: 'ACME' }, { sender: 'ACME' })).toBe(true);
    expect(passes({ sender: 'ACME' }, { sender: 'acme' })).toBe(false);
    expect(passes({ sender: null }, { sender: 'ACME' })).toBe(false);
  });

  test('passes a time range from its start and up to but without its end', () => {
    const startedAt = new Date('2026-03-01T12:00:00.000Z');
    const before = new Date(startedAt.getTime() - 1);
    const after = new Date(startedAt.getTime() + 1);
    expect(passes({ startedAt }, { from: startedAt, to: after })).toBe(true);
    expect(passes({ startedAt }, { from: before, to: startedAt })).toBe(false);
    expect(passes({ startedAt }, { from: after })).toBe(false);
    expect(passes({ startedAt }, { from: after, to: before })).toBe(false);
  });

  test('passes what stands at one of its statuses, and at its status as well', () => {
    expect(passes({ status: 'expired' }, { statuses: ['failed', 'expired'] })).toBe(true);
    expect(passes({ status: 'sent' }, { statuses: ['failed', 'expired'] })).toBe(false);
    expect(passes({ status: 'expired' }, { statuses: ['failed', 'expired'], status: 'failed' })).toBe(false);
  });

  test.each([
    ['provider', { provider: 'smpp' }, { provider: 'smpp' }, { provider: 'twilio' }],
    ['provider that there is none of', { provider: null }, { provider: 'none' }, { provider: 'smpp' }],
    ['country', { country: 'DE' }, { country: 'DE' }, { country: 'none' }],
    ['country that there is none of', { country: null }, { country: 'none' }, { country: 'DE' }],
    ['connection', { connectionId: CONNECTION }, { connectionId: CONNECTION }, { connectionId: newId('con') }],
    ['code', { errorCode: 'no_route' }, { errorCodes: ['no_route', 'x'] }, { errorCodes: ['x'] }],
  ] as const)('passes the %s that it names, and no other', (_name, entry, same, other) => {
    expect(passes(entry, same as LogFilter)).toBe(true);
    expect(passes(entry, other as LogFilter)).toBe(false);
  });

  test('takes a message id in capitals, and passes nothing for what is no message id', () => {
    const messageId = newId('msg');
    expect(passes({ messageId }, { messageId: `msg_${messageId.slice(4).toUpperCase()}` })).toBe(true);
    expect(passes({ messageId }, { messageId: messageId.replace('msg', 'att') })).toBe(false);
    expect(passes({ messageId }, { messageId: 'msg_1' })).toBe(false);
  });

  test('passes the entry whose id it names, and no other of its millisecond', () => {
    const startedAt = new Date('2026-03-01T12:00:00.000Z');
    const { id } = makeAttempt(accountId, { startedAt });
    const attemptId = `att_${id.slice(4).toUpperCase()}`;
    expect(passes({ id }, { attemptId })).toBe(true);
    expect(passes({ id }, { attemptId, from: startedAt, to: new Date(startedAt.getTime() + 1) })).toBe(true);
    expect(passes({ id }, { attemptId, to: startedAt })).toBe(false);
    expect(passes({ id: idBeside(id, 1n) }, { attemptId })).toBe(false);
    expect(passes({ id: idBeside(id, -1n) }, { attemptId })).toBe(false);
    expect(passes({ id }, { attemptId: id.replace('att', 'msg') })).toBe(false);
    const highest = `att_${'f'.repeat(32)}`;
    expect([passes({ id: highest }, { attemptId: highest }), passes({ id }, { attemptId: highest })]).toEqual([
      true,
      false,
    ]);
  });

  test('passes nothing of another account or outside the area', () => {
    const criteria = readLogFilter({ accountId, area: 'sms' }, {});
    expect(criteria && matchesFilter(makeAttempt(accountId, { area: 'sms' }), criteria)).toBe(true);
    expect(criteria && matchesFilter(makeAttempt(accountId, { area: 'unified' }), criteria)).toBe(false);
    expect(criteria && matchesFilter(makeAttempt(newId('acc'), { area: 'sms' }), criteria)).toBe(false);
  });
});
