import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nearName } from '../../../../src/kernel/settings/near-name.ts';
import { assertProperty } from '../../../support/runner/properties.ts';

const NAMES = [
  'to',
  'text',
  'channels',
  'deliveryMode',
  'chatFrom',
  'sender',
  'cloudTemplate',
  'reference',
  'pin',
  'pinId',
];

describe('a misspelt name', () => {
  test.each([
    ['Reference', 'reference'],
    ['REFERENCE', 'reference'],
    ['chat_from', 'chatFrom'],
    ['chat-from', 'chatFrom'],
    ['chatfrom', 'chatFrom'],
    ['_chat_from_', 'chatFrom'],
    ['delivery_mode', 'deliveryMode'],
    ['sendr', 'sender'],
    ['sendder', 'sender'],
    ['sunder', 'sender'],
    ['sedner', 'sender'],
    ['ender', 'sender'],
    ['senders', 'sender'],
    ['channel', 'channels'],
    ['refernce', 'reference'],
    ['txt', 'text'],
    ['TO', 'to'],
    ['t_o', 'to'],
    ['PIN', 'pin'],
    ['pin_id', 'pinId'],
    ['pinID', 'pinId'],
    ['too', 'to'],
    ['pins', 'pin'],
  ])('%s is %s', (given, meant) => {
    expect(nearName(given, NAMES)).toBe(meant);
  });

  test('is found after any single edit', () => {
    const edits = fc.record({
      name: fc.constantFrom(...NAMES),
      at: fc.nat(),
      letter: fc.constantFrom(...'abcxyz019 .é'),
    });
    assertProperty(
      fc.property(edits, fc.constantFrom('put', 'drop', 'replace'), ({ name, at, letter }, edit) => {
        const index = at % name.length;
        const [before, after] = [name.slice(0, index), name.slice(edit === 'put' ? index : index + 1)];
        const given = before + (edit === 'drop' ? '' : letter) + after;
        expect(NAMES.includes(given) || nearName(given, NAMES) !== null).toBe(true);
      }),
    );
  });
});

test.each(['', '_', 'id', 'ip', 'tag', 'from', 'ref', 'userId', 'metadata', 'sndr', 'senderName', 's'.repeat(60_000)])(
  'none is meant by %j',
  given => {
    expect(nearName(given, NAMES)).toBeNull();
  },
);
