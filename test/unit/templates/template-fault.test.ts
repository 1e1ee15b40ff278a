import { describe, expect, test } from 'vitest';
import { faultOf, type KnownTemplate, otpFaultOf } from '../../../src/modules/templates/template-fault.policy.ts';
import { parameterCountOf, previewOf } from '../../../src/modules/templates/template-text.policy.ts';

const known = (more: Partial<KnownTemplate> = {}): KnownTemplate => ({
  name: 'codes',
  language: 'en_US',
  category: 'AUTHENTICATION',
  status: 'APPROVED',
  reason: null,
  ...more,
});

describe('what speaks against a template', () => {
  test('is nothing where nobody knows its name', () => {
    expect(faultOf([], 'en_US')).toBeNull();
  });

  test.each(['APPROVED', 'PENDING', 'FLAGGED', 'IN_APPEAL'])(
    'is nothing where it is %s: the provider is asked',
    status => {
      expect(faultOf([known({ status })], 'en_US')).toBeNull();
    },
  );

  test('is a language in which it is not there, of which ten others are named', () => {
    const languages = Array.from({ length: 12 }, (_, index) =>
      known({ language: `a${String.fromCharCode(97 + index)}` }),
    );
    expect(faultOf(languages, 'de')).toEqual({
      code: 'template_missing',
      message: 'The template codes is not there in de, but in aa, ab, ac, ad, ae, af, ag, ah, ai, aj and 2 more.',
    });
  });
});

describe('what speaks against a template for codes', () => {
  const wanted = { name: 'codes', language: 'en_US' };

  test('is nothing where one of the connections has it, approved', () => {
    expect(otpFaultOf([known({ status: 'PAUSED' }), known()], wanted)).toBeNull();
  });

  test('is said where there is none for codes at all', () => {
    expect(otpFaultOf([known({ name: 'welcome', category: 'UTILITY' })], wanted)).toEqual({
      field: 'name',
      message: 'is no template of the number: there is none for codes yet',
    });
  });

  test('is its status with the word of the provider', () => {
    expect(otpFaultOf([known({ status: 'REJECTED', reason: 'TAG_CONTENT_MISMATCH' })], wanted)?.message).toBe(
      'is AUTHENTICATION and REJECTED (TAG_CONTENT_MISMATCH): a template for codes is AUTHENTICATION and APPROVED',
    );
  });
});

describe('the text of a template', () => {
  test('is that of its body', () => {
    expect(
      previewOf([
        { type: 'HEADER', text: 'Hello' },
        { type: 'body', text: 'Dear {{name}}' },
      ]),
    ).toBe('Dear {{name}}');
    expect(previewOf([{ type: 'BODY', add_security_recommendation: true }])).toBeNull();
    expect(previewOf([])).toBeNull();
  });

  test('has each parameter once', () => {
    expect(parameterCountOf([{ type: 'BODY', text: '{{1}} and {{ 2 }}, and {{1}} again' }])).toBe(2);
    expect(parameterCountOf([{ type: 'BODY', text: 'Dear {{first_name}}' }])).toBe(1);
    expect(parameterCountOf([{ type: 'BODY', text: 'Hello' }])).toBe(0);
  });
});
