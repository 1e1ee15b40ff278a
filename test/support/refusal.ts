/** How a verb and its input refuse, to be compared with what they threw. */
import { expect } from 'vitest';
import type { z } from 'zod';
import { toInputError } from '../../src/kernel/input.ts';

/** Matches the `AppError` of a code; where a field is named, it is the only one that is told of. */
export const refusal = (code: string, field?: string) =>
  expect.objectContaining({ code, ...(field && { details: { errors: [{ field, message: expect.any(String) }] } }) });

/** Reads the input of a verb by its schema, as a field does. @throws AppError `invalid_input` */
export function readInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(input);
  if (error) throw toInputError(error, input);
  return data;
}
