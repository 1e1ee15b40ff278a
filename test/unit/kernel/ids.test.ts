import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  fromUuid,
  type IdPrefix,
  idTime,
  isUuid,
  newId,
  newUuid,
  parseId,
  toUuid,
  uuidFloor,
} from '../../../src/kernel/ids.ts';
import { followTime, gatewayTime } from '../../../src/kernel/process/gateway-time.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const TIME_MS_MAX = 2 ** 48 - 1;
const prefixes = fc.constantFrom<IdPrefix>(
  'msg',
  'att',
  'evt',
  'dlv',
  'whk',
  'acc',
  'tok',
  'snd',
  'usr',
  'key',
  'log',
  'sbx',
);
const uuids = fc.uuid();
const instants = fc.integer({ min: 0, max: TIME_MS_MAX }).filter(ms => ms <= 8.64e15);

describe('newId', () => {
  test('shows the prefix and 32 lower-case hex digits of a version 7 uuid', () => {
    expect(newId('msg')).toMatch(/^msg_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/);
  });

  test('holds the time of its making', () => {
    const before = Date.now();
    const time = idTime(newId('att')).getTime();
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  test('holds the time that the process follows', () => {
    onTestFinished(followTime(() => 0x0123456789ab));
    expect(newUuid()).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(idTime(newId('att'))).toEqual(gatewayTime());
  });

  test('goes back to the clock of the machine when the followed one ends, if no other is followed by then', () => {
    const first = followTime(() => 1);
    const second = followTime(() => 2);
    first();
    expect(gatewayTime().getTime()).toBe(2);
    second();
    expect(Math.abs(gatewayTime().getTime() - Date.now())).toBeLessThan(60_000);
  });

  test('repeats none of 10,000', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newId('evt'))).size).toBe(10_000);
  });
});

describe('isUuid', () => {
  test('takes what toUuid makes, and what PostgreSQL prints of any uuid', () => {
    assertProperty(fc.property(uuids, uuid => isUuid(uuid) && isUuid(toUuid(fromUuid('evt', uuid)))));
  });

  test.each([
    '',
    newId('evt'),
    toUuid(newId('evt')).toUpperCase(),
    ` ${toUuid(newId('evt'))}`,
    `${toUuid(newId('evt'))}\n`,
  ])('does not take %j', text => {
    expect(isUuid(text)).toBe(false);
  });
});

describe('toUuid and fromUuid', () => {
  test('are inverses', () => {
    assertProperty(
      fc.property(prefixes, uuids, (prefix, uuid) => {
        const id = fromUuid(prefix, uuid);
        expect(toUuid(id)).toBe(uuid);
        expect(fromUuid(prefix, toUuid(id))).toBe(id);
      }),
    );
  });

  test.each([
    '',
    'msg_',
    'msg_0199',
    `msg_${'g'.repeat(32)}`,
    `msg_${'A'.repeat(32)}`,
    `${newId('msg')}\n`,
    ` ${newId('msg')}`,
  ])('toUuid throws on %j', text => {
    expect(() => toUuid(text)).toThrow(TypeError);
  });
});

describe('parseId', () => {
  test('returns an id of the prefix as it is', () => {
    const id = newId('whk');
    expect(parseId('whk', id)).toBe(id);
  });

  test('lowers upper-case hex', () => {
    expect(parseId('msg', `msg_${'0199A0B1C2D37E4F8A0B1C2D3E4F5A6B'}`)).toBe('msg_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b');
  });

  test('refuses another prefix', () => {
    expect(parseId('msg', newId('att'))).toBeNull();
  });

  test('gives an id that toUuid takes, or null, for any text', () => {
    const nearly = fc
      .tuple(prefixes, fc.stringMatching(/^[0-9a-fA-Fg-]{30,34}$/))
      .map(([prefix, body]) => `${prefix}_${body}`);
    assertProperty(
      fc.property(prefixes, fc.oneof(fc.string(), nearly), (prefix, text) => {
        const id = parseId(prefix, text);
        if (id === null) return;
        expect(id).toBe(text.toLowerCase());
        expect(toUuid(id)).toHaveLength(36);
      }),
    );
  });
});

describe('uuidFloor', () => {
  test('is the time followed by zeros', () => {
    expect(uuidFloor(new Date(0x0199a0b1c2d3))).toBe('0199a0b1-c2d3-0000-0000-000000000000');
  });

  test('separates ids by time', () => {
    assertProperty(
      fc.property(instants, uuids, (ms, tail) => {
        const made = `${uuidFloor(new Date(ms)).slice(0, 13)}${tail.slice(13)}`;
        expect(made >= uuidFloor(new Date(ms))).toBe(true);
        if (ms < TIME_MS_MAX) expect(made < uuidFloor(new Date(ms + 1))).toBe(true);
      }),
    );
  });

  test('is read back by idTime', () => {
    assertProperty(
      fc.property(instants, ms => {
        expect(idTime(fromUuid('log', uuidFloor(new Date(ms)))).getTime()).toBe(ms);
      }),
    );
  });

  test('moves instants outside the range of UUIDv7 to its ends', () => {
    expect(uuidFloor(new Date('1969-12-31T23:59:59Z'))).toBe('00000000-0000-0000-0000-000000000000');
    expect(uuidFloor(new Date(8.64e15))).toBe('ffffffff-ffff-0000-0000-000000000000');
  });

  test('throws on an invalid date', () => {
    expect(() => uuidFloor(new Date('never'))).toThrow(RangeError);
  });
});
