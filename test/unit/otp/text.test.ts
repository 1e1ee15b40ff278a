import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CHANNELS } from '../../../src/kernel/channel.ts';
import { autofillInput } from '../../../src/modules/otp/send/autofill.input.ts';
import {
  type Autofill,
  autofillFault,
  DEFAULT_TEMPLATE,
  renderText,
  type TextParts,
  templateComponents,
  templateFault,
} from '../../../src/modules/otp/send/text.policy.ts';
import { measureCpu } from '../../support/measure-cpu.ts';
import { assertProperty, runs } from '../../support/runner/properties.ts';

const PARTS: TextParts = {
  template: DEFAULT_TEMPLATE,
  code: '012345',
  expiresIn: 300,
  autofill: null,
  channel: 'sms',
};
const HASH = 'FA+9qCX9VSu';

const render = (parts: Partial<TextParts>) => renderText({ ...PARTS, ...parts });
const codes = fc.stringMatching(/^\d{4,10}$/);

describe('templateFault', () => {
  test.each([
    DEFAULT_TEMPLATE,
    '{{code}}',
    '{{ code }} for {{\tminutes }} minutes',
    '{{code}} {{code}}{{minutes}}',
    'a { b } {{code}} } {',
    '$& {{code}} $1 %s \\n',
    'Código: {{code}} 🔑',
  ])('takes %j', template => {
    expect(templateFault(template)).toBeNull();
  });

  test.each(['', 'Your code', 'code {code} minutes', 'It lasts {{minutes}} minutes', '%code% $code'])(
    'misses the code in %j',
    template => {
      expect(templateFault(template)).toBe('must hold {{code}}, where the code goes');
    },
  );

  test.each([
    ['{{code}} {{name}}', 'name'],
    ['{{ brand name }} {{code}}', 'brand name'],
    ['{{Code}}', 'Code'],
    ['{{code}} {{}}', ''],
    ['{{code}} {{constructor}}', 'constructor'],
    ['{{code}} {{code.length}}', 'code.length'],
    [`{{code}} {{${'x'.repeat(40)}}}`, 'x'.repeat(40)],
    [`{{code}} {{${'x'.repeat(1000)}}}`, `${'x'.repeat(40)}…`],
  ])('names the placeholder that nothing fills in in %j', (template, name) => {
    expect(templateFault(template)).toBe(`holds {{${name}}}; only {{code}} and {{minutes}} are filled in`);
  });

  test.each([
    '{{code}} {{',
    '{{code}} }}',
    '{{code',
    'code}}',
    '{{code}',
    '{{{code}}}',
    '{{{code}}',
    '{{code}}}',
    '{{{{code}}}}',
    '{{code}} {{min{utes}}',
    '{{code {{code}}',
  ])('refuses the braces of %j', template => {
    expect(templateFault(template)).toBe(
      'has braces that do not pair; write {{code}} and {{minutes}} with two braces on each side',
    );
  });

  test('leaves no pair of braces in the text of a template that it takes', () => {
    const parts = fc.constantFrom('{', '}', '{{', '}}', 'code', 'minutes', ' ', 'x', '{{code}}', '{{ minutes }}');
    assertProperty(
      fc.property(
        fc.array(parts, { maxLength: 12 }).map(list => list.join('')),
        template => {
          if (templateFault(template) !== null) return;
          const text = render({ template });
          expect(text).not.toMatch(/\{\{|\}\}/);
          expect(text).toContain('012345');
        },
      ),
      { numRuns: runs(5000) },
    );
  });

  test('takes no longer for a long template of braces', async () => {
    const { cpuMs } = await measureCpu(() => {
      for (const part of ['{', '}', '{{', '{{ ', '{{code', '{{}', '{{code}}}']) templateFault(part.repeat(20_000));
    });
    expect(cpuMs).toBeLessThan(2_000);
  });
});

describe('renderText', () => {
  test('fills in the default', () => {
    expect(render({})).toBe('Your verification code is 012345. It expires in 5 minutes.');
  });

  test.each([
    [60, '1'],
    [61, '2'],
    [90, '2'],
    [120, '2'],
    [300, '5'],
    [3599, '60'],
    [3600, '60'],
  ])('rounds %i seconds up to %s minutes', (expiresIn, minutes) => {
    expect(render({ template: '{{code}} {{minutes}}', expiresIn })).toBe(`012345 ${minutes}`);
  });

  test('fills in every placeholder, blanks inside the braces or not', () => {
    expect(render({ template: '{{code}}{{ code }}|{{\tminutes}}' })).toBe('012345012345|5');
  });

  test.each(['$&', '$1', '$$', '$`', "$'", '$<name>', '\\1', '%s'])('keeps %s of the template', text => {
    expect(render({ template: `${text}{{code}}${text}` })).toBe(`${text}012345${text}`);
  });

  test('changes nothing but the placeholders', () => {
    const plain = fc.string({ unit: 'binary' }).map(text => text.replaceAll(/[{}]/g, ''));
    assertProperty(
      fc.property(plain, plain, codes, (before, after, code) => {
        expect(render({ template: `${before}{{code}}${after}`, code })).toBe(`${before}${code}${after}`);
      }),
    );
  });

  test('ends an SMS with the line of the site', () => {
    expect(render({ template: '{{code}}', autofill: { domain: 'example.com' } })).toBe(
      '012345\n\n@example.com #012345',
    );
  });

  test('ends an SMS with the hash of the app', () => {
    expect(render({ template: '{{code}}', autofill: { appHash: HASH } })).toBe(`012345\n\n${HASH}`);
  });

  test.each(CHANNELS.filter(channel => channel !== 'sms'))('adds nothing on %s', channel => {
    expect(render({ template: '{{code}}', autofill: { domain: 'example.com' }, channel })).toBe('012345');
    expect(render({ template: '{{code}}', autofill: { appHash: HASH }, channel })).toBe('012345');
  });

  test('is read by the rules of origin-bound one-time codes', () => {
    // As that specification parses it: the last line, `@`, no blank, one blank, `#`, no blank.
    const parse = (text: string) => /^@([^\t\n\f\r ]+) #([^\t\n\f\r ]+)$/.exec(text.split(/\r\n|\r|\n/).at(-1) ?? '');
    assertProperty(
      fc.property(fc.domain(), codes, fc.string({ unit: 'binary' }), (domain, code, text) => {
        const rendered = render({ template: `{{code}}${text.replaceAll(/[{}]/g, '')}`, code, autofill: { domain } });
        expect(parse(rendered)?.slice(1)).toEqual([domain, code]);
      }),
    );
  });
});

describe('autofillFault', () => {
  const APP: Autofill = { appHash: HASH };

  /** An SMS with the hash that ends at so many bytes. */
  const sized = (bytes: number, letter = 'x') => {
    const end = `\n\n${HASH}`;
    return letter.repeat((bytes - end.length) / Buffer.byteLength(letter)) + end;
  };

  test('finds none in the default', () => {
    expect(autofillFault(render({ code: '0123456789', expiresIn: 3600, autofill: APP }), APP)).toBeNull();
  });

  test('takes 140 bytes with a hash', () => {
    expect(autofillFault(sized(140), APP)).toBeNull();
  });

  test('refuses 141 bytes with a hash', () => {
    expect(autofillFault(sized(141), APP)).toBe(
      'the SMS with its code and hash has 141 bytes (segments: 1), and Android reads one segment of at most 140 bytes; ' +
        'shorten the template, or leave appHash out',
    );
  });

  test('counts bytes, not characters', () => {
    expect(autofillFault(sized(141, 'я'), APP)).toMatch(/141 bytes/);
  });

  test('refuses two segments of fewer bytes', () => {
    expect(autofillFault(`я${sized(99)}`, APP)).toMatch(/101 bytes \(segments: 2\)/);
  });

  test.each([null, { domain: 'example.com' }])('finds none in a long text with %j', autofill => {
    expect(autofillFault('x'.repeat(1000), autofill)).toBeNull();
  });
});

describe('templateComponents', () => {
  test('are those of an authentication template: the code in the body and in the button', () => {
    expect(templateComponents('012345')).toEqual([
      { type: 'body', parameters: [{ type: 'text', text: '012345' }] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '012345' }] },
    ]);
  });
});

describe('autofillInput', () => {
  const read = (input: unknown) => autofillInput.safeParse(input);
  const faultOf = (input: unknown) => read(input).error?.issues.map(issue => [issue.path.join('.'), issue.message]);

  test.each([
    ['example.com', 'example.com'],
    ['Login.Example.COM', 'login.example.com'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['localhost', 'localhost'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
    ['1and1.com', '1and1.com'],
  ])('reads the domain %j', (domain, host) => {
    expect(read({ domain }).data).toEqual({ domain: host });
  });

  test.each([
    '',
    ' example.com',
    'example.com.',
    '.example.com',
    'a..example',
    'https://example.com',
    'example.com/login',
    'example.com:443',
    'user@example.com',
    'example.com #1',
    'example.com\n@evil.example',
    'exa_mple.com',
    '-example.com',
    'example-.com',
    'ex%61mple.com',
    'example.com／login',
    'ex％41mple.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(126)}example`,
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '１２７.0.0.1',
    'example.1',
    '::1',
    '[::1]',
    '\ud800.com',
  ])('refuses the domain %j', domain => {
    expect(faultOf({ domain })?.map(([field]) => field)).toContain('domain');
  });

  test('says what a domain is', () => {
    expect(faultOf({ domain: 'https://example.com' })).toEqual([
      ['domain', 'must be a host name alone, like example.com (no scheme, port, path or address)'],
    ]);
  });

  test.each([HASH, '0123456789/'])('reads the app hash %s', appHash => {
    expect(read({ appHash }).data).toEqual({ appHash });
  });

  test.each(['', 'FA+9qCX9VS', `${HASH}x`, 'FA+9qCX9VS=', 'FA-9qCX9VSu', 'FA+9qCX9VS ', `${HASH}\n`])(
    'refuses the app hash %j',
    appHash => {
      expect(faultOf({ appHash })).toEqual([
        ['appHash', 'must be the 11 characters (A-Z, a-z, 0-9, + and /) that SMS Retriever knows the app by'],
      ]);
    },
  );

  test.each([{}, { domain: null }, { domain: null, appHash: null }, { domain: 'example.com', appHash: HASH }])(
    'needs exactly one of the two: %j',
    input => {
      expect(faultOf(input)).toEqual([['', 'must have exactly one of domain and appHash']]);
    },
  );

  test('takes a null in place of the other', () => {
    expect(read({ domain: 'example.com', appHash: null }).data).toEqual({ domain: 'example.com' });
  });

  test('refuses what it does not know', () => {
    expect(read({ domain: 'example.com', origin: 'x' }).success).toBe(false);
  });

  test('reads what it read to the same', () => {
    assertProperty(
      fc.property(fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' })), domain => {
        const { data } = read({ domain });
        if (data) expect(read(data).data).toEqual(data);
      }),
    );
  });

  test('can be shown as JSON Schema', () => {
    expect(z.toJSONSchema(autofillInput, { io: 'input' }).$defs?.OtpAutofillInput).toMatchObject({
      type: 'object',
      properties: { domain: {}, appHash: {} },
      additionalProperties: false,
    });
  });
});
