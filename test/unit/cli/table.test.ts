import { describe, expect, it } from 'vitest';
import { columnsOf } from '../../../src/cli/output.ts';
import { paintStanding, rollOf, type Screen, table } from '../../../src/cli/table.ts';

/** A terminal of so many characters, whose styles are written out. */
function terminal(width: number): Screen & { cuts: number } {
  return {
    width,
    cuts: 0,
    onCut() {
      this.cuts += 1;
    },
    plain: (text: string) => text,
    paint: (style, text) => (style === 'bold' ? text : `<${style}>${text}</>`),
  };
}

const ID = 'att_01a206e389a17e668c25872850e26bcb';

describe('a table on a terminal', () => {
  it('that fits is not cut', () => {
    const screen = terminal(40);
    expect(table(['A', 'B'], [['one', 'two']], screen)).toBe('A    B\none  two');
    expect(screen.cuts).toBe(0);
  });

  it('fits, and says that it was cut', () => {
    const screen = terminal(40);
    const text = table(['KIND', 'TEXT'], [['a short one', 'a text that is far too long for it']], screen);
    expect(text.split('\n').map(line => line.length)).toEqual([expect.any(Number), 40]);
    expect(text).toMatch(/…$/);
    expect(screen.cuts).toBe(1);
  });

  it('keeps ids whole as long as others can give', () => {
    const text = table(['ENTRY', 'TEXT'], [[ID, 'x'.repeat(60)]], terminal(60));
    expect(text.split('\n')[1]).toBe(`${ID}  ${'x'.repeat(21)}…`);
  });

  it('cuts ids too where it must', () => {
    const text = table(['ENTRY', 'MESSAGE'], [[ID, ID]], terminal(40));
    expect(text.split('\n')[1]).toBe(`att_…${ID.slice(-14)}  att_…${ID.slice(-14)}`);
  });

  it.each([
    [30, '2026-11-23T05:31:51'],
    [26, '11-23T05:31:51'],
    [22, '11-23T05:31:51'],
  ])('leaves of a time what tells it apart, in %i characters', (width, shown) => {
    const cells = ['2026-11-23T05:31:51.048Z', 'x'.repeat(Math.max(4, width - 2 - Math.max(12, shown.length)))];
    expect(table(['TIME', 'TEXT'], [cells], terminal(width)).split('\n')[1]).toMatch(new RegExp(`^${shown} `));
  });

  it('cuts a text that begins with a time as a text', () => {
    const text = '2026-11-24T10:00:00 is your appointment';
    expect(table(['TEXT'], [[text]], terminal(24)).split('\n')[1]).toBe('2026-11-24T10:00:00 is …');
  });

  it('tells ids apart that begin alike, also on a narrow screen', () => {
    const row = (id: string) => [
      '2026-11-23T05:31:51.048Z',
      'delivered',
      'chat_qr',
      '12025550100',
      'DEMO',
      '12',
      '',
      id,
      id,
    ];
    const heads = ['TIME', 'STATUS', 'CHANNEL', 'RECIPIENT', 'SENDER', 'MS', 'ERROR', 'MESSAGE', 'ENTRY'];
    const [, one, other] = table(heads, [row(ID), row(`${ID.slice(0, -4)}9c1f`)], terminal(70)).split('\n');
    expect(one).not.toBe(other);
    expect(other).toMatch(/9c1f$/);
  });

  const ENTRY = ['2026-11-23T05:31:51.048Z', 'delivered', 'chat_qr', '12025550100', 'DEMO', '12', '-', ID, ID];
  const HEADS = ['TIME', 'STATUS', 'CHANNEL', 'RECIPIENT', 'SENDER', 'MS', 'ERROR', 'MESSAGE', 'ENTRY'];

  it('leaves out empty columns and spare ones before it cuts a status, a number or the day of a time', () => {
    const [heads, cells] = table(HEADS, [ENTRY], terminal(80)).split('\n');
    expect(heads?.split(/ +/)).toEqual(['TIME', 'STATUS', 'CHANNEL', 'RECIPIENT', 'SENDER', 'MS', 'MESSAGE']);
    expect(cells).toMatch(/^(2026-)?11-23T05:31\S* +<green>delivered<\/> +chat_qr +12025550100 +DEMO +12 +att_…/);
  });

  it.each(Array.from({ length: 120 }, (_, width) => width + 1))(
    'is nowhere wider than a terminal of %i characters',
    width => {
      const plain = table(HEADS, [ENTRY], { ...terminal(width), paint: (_style, text) => text });
      for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    },
  );

  describe('with sentences', () => {
    const HEADINGS = ['STATUS', 'ABOUT', 'FOUND', 'MEND'];
    const FINDING = [
      'warning',
      'connections.down',
      'The connection "Main carrier" is down.',
      'See what its provider says, and try it: npx heliograph connection test',
    ];

    it('breaks them into lines beside the others where there is room, and cuts nothing', () => {
      const screen = terminal(66);
      expect(table(HEADINGS, [FINDING], { ...screen, paint: (_style, text) => text })).toBe(
        [
          'STATUS   ABOUT             FOUND',
          'warning  connections.down  The connection "Main carrier" is down.',
          '                           mend: See what its provider says, and',
          '                           try it: npx heliograph connection test',
        ].join('\n'),
      );
      expect(screen.cuts).toBe(0);
    });

    it('puts them below their row where there is none', () => {
      const plain = table(HEADINGS, [FINDING], { ...terminal(44), paint: (_style, text) => text });
      expect(plain).toBe(
        [
          'STATUS   ABOUT',
          'warning  connections.down',
          '  The connection "Main carrier" is down.',
          '  mend: See what its provider says, and try',
          '  it: npx heliograph connection test',
        ].join('\n'),
      );
    });

    it('leaves out what a row has none of', () => {
      const row = ['ok', 'clock', 'It is right.', '-'];
      const plain = table(HEADINGS, [FINDING, row], { ...terminal(66), paint: (_style, text) => text });
      expect(plain.split('\n').at(-1)).toBe('ok       clock             It is right.');
    });

    it.each(Array.from({ length: 110 }, (_, width) => width + 10))('is nowhere wider than %i characters', width => {
      const cells = [
        ID,
        'enabled',
        '2026-11-23T05:31:51.048Z',
        'https://shop.example.com/hooks/heliograph',
        'message.sent,message.failed,otp.sent',
      ];
      const plain = table(['ENDPOINT', 'STATUS', 'FAILING SINCE', 'URL', 'EVENTS'], [cells], {
        ...terminal(width),
        paint: (_style, text) => text,
      });
      for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      expect(plain.replaceAll(/\s+/g, '')).toContain('https://shop.example.com/hooks/heliograph'.slice(0, 8));
    });

    it('shortens ids before a column goes', () => {
      const heads = ['TIME', 'ACTION', 'SUBJECT', 'BY', 'FROM', 'DETAILS'];
      const cells = ['2026-11-23T05:31:51.048Z', 'connection.updated', ID, ID, '127.0.0.1', '{"name":"Shop"}'];
      const [shown] = table(heads, [cells], { ...terminal(80), paint: (_style, text) => text }).split('\n');
      expect(shown?.split(/ +/)).toEqual(['TIME', 'ACTION', 'SUBJECT', 'BY', 'FROM']);
    });
  });

  it('colours what is cut as the whole', () => {
    expect(table(['STATUS'], [['delivered']], terminal(6)).split('\n')[1]).toBe('<green>deliv…</>');
  });

  it('never cuts a letter of two units in half', () => {
    const text = table(['TEXT'], [['🦔'.repeat(30)]], terminal(20));
    expect(text.isWellFormed()).toBe(true);
  });

  it('shows by colour where things stand, only in the columns that tell it', () => {
    const text = table(
      ['STATUS', 'TEXT'],
      [
        ['failed', 'failed'],
        ['sent', 'x'],
      ],
      terminal(80),
    );
    expect(text.split('\n').slice(1)).toEqual(['<red>failed</>  failed', '<cyan>sent</>    x']);
  });
});

it('no screen cuts or colours nothing', () => {
  const long = 'x'.repeat(500);
  expect(table(['STATUS', 'TEXT'], [['failed', long]])).toBe(`STATUS  TEXT\nfailed  ${long}`);
});

it('a roll that is no screen cuts nothing either, also what is wider than was expected', () => {
  const roll = rollOf(['MS', 'ERROR'], ['12345', 'refused']);
  expect([roll.head, roll.row(['1234567', 'insufficient_balance'])]).toEqual([
    'MS     ERROR',
    '1234567  insufficient_balance',
  ]);
});

it('a row by itself is coloured as in a table', () => {
  expect(
    columnsOf<{ a: string; b: string }>({ TEXT: 'a', STATUS: 'b' }).line({ a: 'sent', b: 'dead' }, terminal(9)),
  ).toBe('sent  <red>dead</>');
});

it.each([
  ['delivered', '<green>delivered</>'],
  ['down (refused)', '<red>down (refused)</>'],
  ['whatever', 'whatever'],
])('%s stands as %s', (text, painted) => {
  expect(paintStanding(text, terminal(80))).toBe(painted);
});
