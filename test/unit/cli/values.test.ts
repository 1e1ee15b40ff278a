import { InvalidArgumentError } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { table } from '../../../src/cli/table.ts';
import {
  readChannels,
  readCountries,
  readMoment,
  readObject,
  readPlanEnd,
  readRateLimit,
  readTemplate,
  readTime,
  readWhole,
} from '../../../src/cli/values.ts';

describe('a time', () => {
  it.each([
    ['2027-01-31T18:00+02:00', '2027-01-31T16:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ])('%s is %s', (value, time) => {
    expect(readTime(value)).toBe(time);
  });

  it.each(['', 'never', '2027-02-30', '2027-01-31T18:00:00'])('%j is wrong usage', value => {
    expect(() => readTime(value)).toThrow(InvalidArgumentError);
  });
});

describe('a moment', () => {
  afterEach(() => vi.useRealTimers());

  it.each([
    ['30s', '2026-11-21T17:59:30.000Z'],
    ['90m', '2026-11-21T16:30:00.000Z'],
    ['1h', '2026-11-21T17:00:00.000Z'],
    ['2d', '2026-11-19T18:00:00.000Z'],
    ['1w', '2026-11-14T18:00:00.000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z'],
  ])('%s is %s', (value, time) => {
    vi.useFakeTimers({ now: new Date('2026-11-21T18:00:00Z') });
    expect(readMoment(value)).toBe(time);
  });

  it.each(['', '1', 'h', '1y', '1.5h', '-1h', 'yesterday'])('%j is wrong usage', value => {
    expect(() => readMoment(value)).toThrow(InvalidArgumentError);
  });
});

describe('the end of a plan', () => {
  it.each([
    ['never', null],
    ['2027-01-31T18:00:00Z', '2027-01-31T18:00:00.000Z'],
    ['2027-01-31t18:00:00.5z', '2027-01-31T18:00:00.500Z'],
    ['2027-01-31T18:00+02:00', '2027-01-31T16:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
  ])('%s is %s', (value, time) => {
    expect(readPlanEnd(value)).toEqual({ value: time });
  });

  it.each(['', 'tomorrow', '2027', '2027-02-30', '2027-01-31T18:00:00', '2027-01-31T25:00:00Z', '31.01.2027', 'Never'])(
    '%j is wrong usage',
    value => {
      expect(() => readPlanEnd(value)).toThrow(InvalidArgumentError);
    },
  );
});

it.each([
  ['none', null],
  ['1', 1],
  ['1000000', 1_000_000],
])('the rate limit %s is %s', (value, limit) => {
  expect(readRateLimit(value)).toEqual({ value: limit });
});

it.each(['', '0', '-1', '1.5', '1000001', '1e3', 'NONE'])('the rate limit %j is wrong usage', value => {
  expect(() => readRateLimit(value)).toThrow(InvalidArgumentError);
});

it('channels are read in order', () => {
  expect(readChannels('sms, chat_qr')).toEqual(['sms', 'chat_qr']);
});

it.each(['', 'sms,', 'SMS', 'fax'])('the channels %j are wrong usage', value => {
  expect(() => readChannels(value)).toThrow(InvalidArgumentError);
});

it.each([
  ['US', ['US']],
  ['us, DE', ['US', 'DE']],
  ['*', ['*']],
])('the countries %j are %j', (value, countries) => {
  expect(readCountries(value)).toEqual(countries);
});

it.each(['', 'US,', 'USA', 'US DE', '*,US', '**', 'ß', 'none'])('the countries %j are wrong usage', value => {
  expect(() => readCountries(value)).toThrow(InvalidArgumentError);
});

it.each(['0', '201', 'x', '', '+5', '5.0'])('the limit %j is wrong usage', value => {
  expect(() => readWhole(1, 200)(value)).toThrow(InvalidArgumentError);
});

describe('a table', () => {
  it('lines its columns up', () => {
    expect(table(['A', 'LONG', 'B'], [['wide cell', 'x', 'y']])).toBe('A          LONG  B\nwide cell  x     y');
  });

  it('is no text without rows', () => {
    expect(table(['A'], [])).toBe('');
  });

  it('shows no character that a terminal obeys', () => {
    expect(table(['A'], [['\u001b[31mred\r\n\u202e']])).toBe('A\n\u{fffd}[31mred\u{fffd}\u{fffd}\u{fffd}');
  });
});

describe('readTemplate', () => {
  it('takes a name with its language, and an object where there are components', () => {
    expect(readTemplate('order_sent:en_US')).toEqual({ name: 'order_sent', language: 'en_US' });
    const template = { name: 'order_sent', language: 'en_US', components: [] };
    expect(readTemplate(JSON.stringify(template))).toEqual(template);
  });

  it.each(['order_sent', ':en', 'order_sent:', 'a:b:c', '{"name":'])('refuses %s', value => {
    expect(() => readTemplate(value)).toThrow(InvalidArgumentError);
  });
});

describe('readObject', () => {
  it('reads a JSON object', () => {
    expect(readObject('{"name":"hello","language":"en"}')).toEqual({ name: 'hello', language: 'en' });
  });

  it.each(['', 'hello', '[1]', 'null', '{"name"'])('refuses %j', value => {
    expect(() => readObject(value)).toThrow(InvalidArgumentError);
  });
});
