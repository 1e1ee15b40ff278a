import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../src/kernel/cursor.ts';
import { assertProperty } from '../../support/runner/properties.ts';

const uuid = '0199a0b1-c2d3-7e4f-8a0b-1c2d3e4f5a6b';

describe('cursors', () => {
  test('hold a uuid in characters that are safe in a URL', () => {
    assertProperty(
      fc.property(fc.uuid(), value => {
        const cursor = encodeCursor(value);
        expect(encodeURIComponent(cursor)).toBe(cursor);
        expect(decodeCursor(cursor)).toBe(value);
      }),
    );
  });

  test('are made of uuids only', () => {
    expect(() => encodeCursor('msg_0199a0b1c2d37e4f8a0b1c2d3e4f5a6b')).toThrow(TypeError);
    expect(() => encodeCursor(uuid.toUpperCase())).toThrow(TypeError);
  });

  test.each([
    ['nothing', ''],
    ['a uuid', uuid],
    ['a shorter one', encodeCursor(uuid).slice(0, -1)],
    ['a longer one', `${encodeCursor(uuid)}A`],
    ['padding', `${encodeCursor(uuid)}=`],
    ['a blank before it', ` ${encodeCursor(uuid)}`],
    ['another version', Buffer.concat([Buffer.of(2), Buffer.alloc(16)]).toString('base64url')],
    ['the other base64', '+/+/+/+/+/+/+/+/+/+/+/+'],
  ])('are null for %s', (_what, value) => {
    expect(decodeCursor(value)).toBeNull();
  });

  test('have one valid spelling', () => {
    assertProperty(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^AQ[A-Za-z0-9_-]{21}$/)), value => {
        const decoded = decodeCursor(value);
        if (decoded !== null) expect(encodeCursor(decoded)).toBe(value);
      }),
    );
  });
});
