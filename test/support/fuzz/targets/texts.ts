/** Texts of callers and of providers: cursors, and words that may be told. */
import { tellable } from '../../../../src/channels/http/answer.ts';
import { decodeCursor, encodeCursor } from '../../../../src/kernel/cursor.ts';
import { isUuid } from '../../../../src/kernel/ids.ts';
import { hold, same } from '../check.ts';
import type { FuzzTarget } from '../search.ts';
import { partsOf } from './shared.ts';

const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** A text as a cursor, and its first 16 bytes as an id. */
export const cursor: FuzzTarget = {
  name: 'cursor',
  tokens: ['AQ', 'AA', '_', '-', '=', encodeCursor(UUID)],
  seeds: [encodeCursor(UUID), encodeCursor('ffffffff-ffff-4fff-bfff-ffffffffffff'), 'AQ', ''],
  run: input => {
    const text = input.toString('latin1');
    const uuid = decodeCursor(text);
    if (uuid !== null) {
      hold(isUuid(uuid), `no uuid: ${uuid}`);
      same(encodeCursor(uuid), text, 'a second spelling of a cursor');
    }
    if (input.length < 16) return;
    const hex = input.toString('hex', 0, 16);
    const made = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
    if (isUuid(made)) same(decodeCursor(encodeCursor(made)), made, 'the id of a cursor');
  },
};

/** The ways in which servers repeat what they were sent. */
const WRITERS: readonly ((text: string) => string)[] = [
  text => text,
  text => encodeURIComponent(text),
  text => new URLSearchParams([['', text]]).toString().slice(1),
  text => JSON.stringify(text).slice(1, -1),
  text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  text => Buffer.from(text).toString('base64'),
];

/** A code of a passcode or a number of a phone: four digits with little between them. */
const DIGITS = /[0-9](?:[^0-9A-Za-z]{0,3}[0-9]){3,}/;

/** A message without a text and a recipient: the secrets alone are hidden. */
const UNQUOTED = { text: '', to: '' };

/** The first byte says how a server writes; then stand what it must not repeat, and the words before and after it, cut at NULs. */
export const tellableWords: FuzzTarget = {
  name: 'tellable',
  tokens: [
    '\0',
    '%',
    '&amp;',
    '\\',
    '+',
    ' ',
    '\n',
    '1234',
    '12 34',
    '1-2-3-4',
    '\xe2\x80\xa6',
    '\xed\xa0\x80',
    '\xf0\x9f\x98\x80',
  ],
  seeds: [
    '0a secret\0The key \0 is wrong',
    '1pass word&more\0error for ',
    '2a+b c/d\0in ',
    '3quote " and \\ back\0{"error":"',
    '4Tom & <Jerry>\0the text \0 was refused',
    '5+491511234567\0to ',
    '0Your code is 123456\0text: \0 .',
  ],
  run: input => {
    const [hidden, before, after] = partsOf(input.subarray(1), '\0', 3);
    const write = WRITERS[(input[0] ?? 0) % WRITERS.length];
    const written = write?.(hidden) ?? '';
    const told = tellable(`${before}${written}${after}`, [hidden], UNQUOTED);
    hold(told.length <= 200, `${told.length} characters`);
    hold(told.isWellFormed(), 'half of a character');
    hold(!/[\n\r\t]| {2}/.test(told) && told === told.trim(), 'more than one line of words');
    hold(!DIGITS.test(told), `a number: ${told}`);
    // The mark in place of the hidden may itself be hidden; and nobody hides less than three characters.
    const isHidden = (text: string): boolean => {
      const line = text.replaceAll(/\s+/g, ' ').trim();
      return line.length < 3 || /[…\ufffd]/.test(line) || !told.includes(line);
    };
    hold(isHidden(hidden), `the hidden: ${told}`);
    hold(isHidden(written), `the hidden as a server wrote it: ${told}`);
    // With the mark of what was cut in it, the hidden may come to stand there by chance, and is cut then.
    if (!/[…\ufffd]/.test(hidden)) same(tellable(told, [hidden], UNQUOTED), told, 'told twice');
  },
};
