import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { toInputError } from '../../../src/kernel/input.ts';

const schema = z.strictObject({
  to: z.string(),
  count: z.bigint('must be an integer of 64 bits').optional(),
  list: z.array(z.object({ name: z.string() })).optional(),
  options: z.record(z.string(), z.unknown()).optional(),
  word: z.string().min(1, 'must not be empty').optional(),
});

function faultsOf(input: unknown) {
  const parsed = schema.safeParse(input);
  return parsed.success ? [] : toInputError(parsed.error, input).details.errors;
}

describe('a fault of an input', () => {
  test.each<[string, unknown, { field: string; message: string }]>([
    ['a field that is missing', {}, { field: 'to', message: 'is required' }],
    ['a field of another type', { to: 5 }, { field: 'to', message: 'must be a string' }],
    ['null', { to: null }, { field: 'to', message: 'must be a string' }],
    ['a list that is none', { to: '', list: 5 }, { field: 'list', message: 'must be an array' }],
    ['a record that is none', { to: '', options: 5 }, { field: 'options', message: 'must be an object' }],
    ['a field deep inside', { to: '', list: [{ name: 'a' }, {}] }, { field: 'list.1.name', message: 'is required' }],
    [
      'the words of the schema itself',
      { to: '', count: 'a' },
      { field: 'count', message: 'must be an integer of 64 bits' },
    ],
    ['a list for a text by its type alone', { to: '', word: [] }, { field: 'word', message: 'must be a string' }],
    ['a field too many', { to: '', colour: 1 }, { field: 'colour', message: 'is not a field of this request' }],
  ])('names %s', (_name, input, fault) => {
    expect(faultsOf(input)).toEqual([fault]);
  });

  test('names the field as the caller wrote it, without the argument around it', () => {
    const input = { input: { to: 5 } };
    const parsed = z.object({ input: schema }).safeParse(input);
    if (parsed.success) throw new Error('the input was taken');
    expect(toInputError(parsed.error, input)).toMatchObject({ code: 'invalid_input', message: 'to: must be a string' });
  });

  test('of the whole input names the body', () => {
    expect(faultsOf(5)).toEqual([{ field: 'body', message: 'must be an object' }]);
  });
});
