import { expect, test } from 'vitest';
import { filledText, textWithCode } from '../../../src/dashboard/app/features/send/template/filled-text.ts';

const body = (...parameters: object[]) => JSON.stringify([{ type: 'body', parameters }]);

test('parameters stand in the text by their order or by their names', () => {
  expect(filledText('{{1}} for {{2}}', body({ type: 'text', text: 'Tea' }, { type: 'text', text: 'two' }))).toBe(
    'Tea for two',
  );
  expect(filledText('Dear {{name}}', body({ type: 'text', parameter_name: 'name', text: 'Ada' }))).toBe('Dear Ada');
});

test.each([
  '',
  '[',
  '{}',
  '[{"type":"header"}]',
  '[null]',
  body(),
  body({ type: 'text' }),
  '[{"type":"body","parameters":[null]}]',
])('what %s does not give stays as it is', components => {
  expect(filledText('Order {{1}}', components)).toBe('Order {{1}}');
});

test('a code stands in the text of a template for codes', () => {
  expect(textWithCode('*{{1}}* is your code.', '123456')).toBe('*123456* is your code.');
});
