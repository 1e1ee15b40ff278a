import { expect, test } from 'vitest';
import type { Wanted } from '../../../src/channels/providers.ts';
import { type Choosable, chooseConnections } from '../../../src/modules/connections/live/choose.policy.ts';

const ME = 'acc_1';
const WANTED: Wanted = {
  accountId: ME,
  channel: 'sms',
  country: () => 'US',
  purpose: 'message',
  recipient: '12025550123',
};

const connection = (id: string, more: Partial<Choosable> = {}): Choosable => ({
  id,
  accountId: ME,
  channel: 'sms',
  isPaused: false,
  isUsable: true,
  priority: 100,
  weight: 1,
  countries: null,
  purposes: null,
  ...more,
});

const chosen = (all: readonly Choosable[], wanted: Partial<Wanted> = {}) =>
  chooseConnections(
    Map.groupBy(all, ({ accountId }) => accountId),
    { ...WANTED, ...wanted },
  )?.map(({ id }) => id);

test.each<[what: string, more: Partial<Choosable>]>([
  ['is paused', { isPaused: true }],
  ['cannot be used', { isUsable: false }],
  ['is of another channel', { channel: 'chat_qr' }],
  ['is for other countries', { countries: ['DE'] }],
  ['is for passcodes', { purposes: ['otp'] }],
])('one that %s is not taken', (_what, more) => {
  expect(chosen([connection('a', more)])).toEqual([]);
});

test('an account without any, own or shared, has none to choose from', () => {
  expect(chosen([])).toBeUndefined();
  expect(chosen([connection('a', { accountId: 'acc_2' })])).toBeUndefined();
});

test.each<[what: string, more: Partial<Choosable>, wanted: Partial<Wanted>]>([
  ['for the country', { countries: ['DE', 'US'] }, {}],
  ['for the purpose', { purposes: ['otp'] }, { purpose: 'otp' }],
  ['of all countries, for a recipient of none', {}, { country: () => null }],
])('one %s is taken', (_what, more, wanted) => {
  expect(chosen([connection('a', more)], wanted)).toEqual(['a']);
});

test('one of some countries is not taken for a recipient of none', () => {
  expect(chosen([connection('a', { countries: ['US'] })], { country: () => null })).toEqual([]);
});

test('shared ones serve accounts without any connection of their own, whatever its channel', () => {
  const shared = connection('shared', { accountId: null });
  expect(chosen([shared])).toEqual(['shared']);
  expect(chosen([shared, connection('mine')])).toEqual(['mine']);
  expect(chosen([shared, connection('mine', { channel: 'chat_qr' })])).toEqual([]);
  expect(chosen([shared, connection('mine', { isPaused: true })])).toEqual([]);
});

test('the lowest priority goes first', () => {
  const all = [connection('c', { priority: 300 }), connection('a', { priority: 1 }), connection('b', { priority: 20 })];
  expect(chosen(all)).toEqual(['a', 'b', 'c']);
});

const RECIPIENTS = Array.from({ length: 20_000 }, (_, index) => `1202555${index}`);
const firstOf = (all: readonly Choosable[]) => RECIPIENTS.map(recipient => chosen(all, { recipient })?.[0]);

test('equals get recipients by their weights', () => {
  const firsts = firstOf([connection('a', { weight: 1 }), connection('b', { weight: 3 })]);
  const share = firsts.filter(id => id === 'b').length / firsts.length;
  expect(share).toBeGreaterThan(0.73);
  expect(share).toBeLessThan(0.77);
});

test('a recipient keeps its connection, but for those whose connection went away or that a new one takes', () => {
  const [a, b, c] = [connection('a'), connection('b'), connection('c')];
  const before = firstOf([a, b]);
  expect(firstOf([b, a])).toEqual(before);
  const after = firstOf([a, b, c]);
  for (const [index, id] of after.entries()) expect([before[index], 'c']).toContain(id);
  const without = firstOf([a, c]);
  for (const [index, id] of after.entries()) if (id !== 'b') expect(without[index]).toBe(id);
});

test('the number that the send names goes first, and the others of the account behind it', () => {
  const all = [connection('a', { number: '1', priority: 1 }), connection('b', { number: '2' }), connection('c')];
  expect(chosen(all, { sender: '2' })).toEqual(['b', 'a', 'c']);
  expect(chosen(all, { sender: '3' })?.[0]).toBe('a');
});

test('what one number alone may send goes by no other one, and by one whose number nobody knows', () => {
  const all = [connection('a', { number: '1' }), connection('b', { number: '2' }), connection('c')];
  expect(chosen(all, { sender: '2', isOfNumber: true })).toEqual(['b', 'c']);
});
