import { describe, expect, test } from 'vitest';
import { parameterCountOf, previewOf } from '../../../src/modules/templates/template-text.policy.ts';

const template = (text: string) => [
  { type: 'HEADER', text: 'ACME' },
  { type: 'BODY', text },
];
const given = (...parameters: unknown[]) => [{ type: 'body', parameters }];

describe('the text of a template', () => {
  test('has parameters by their order or by their names', () => {
    const inOrder = given({ type: 'text', text: 'Tea' }, { type: 'text', text: 'two' });
    expect(previewOf(template('{{1}} for {{2}}'), inOrder)).toBe('Tea for two');
    const named = given({ type: 'text', parameter_name: 'name', text: 'Ada' });
    expect(previewOf(template('Dear {{ name }}'), named)).toBe('Dear Ada');
  });

  test.each([
    [[]],
    [[{ type: 'header' }]],
    [[{ type: 'body', parameters: 'none' }]],
    [[{ type: { toString: 1 } }]],
    [given({ parameter_name: { toString: 1 }, text: 5 })],
    [given(7, 'Tea')],
    [given()],
    [given(null)],
    [given({ type: 'text' })],
  ])('keeps the placeholder that %j does not fill', components => {
    expect(previewOf(template('Order {{1}}'), components)).toBe('Order {{1}}');
  });

  test('is not known where no body was told', () => {
    expect(previewOf([{ type: 'BODY' }])).toBeNull();
    expect(previewOf([])).toBeNull();
  });

  test('takes as many parameters as it has different placeholders', () => {
    expect(parameterCountOf(template('{{1}} and {{2}}, and {{1}} again'))).toBe(2);
  });
});
