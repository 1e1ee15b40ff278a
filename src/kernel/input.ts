/** Faults of an input, from the schema's words to ours. */
import type { z } from 'zod';
import { AppError, type FieldError } from './errors.ts';

/** The faults of an input as `invalid_input`, each with the field as the caller wrote it. */
export function toInputError(error: z.ZodError): AppError {
  const errors = error.issues.flatMap(faultsOf);
  return new AppError('invalid_input', errors.map(fault => `${fault.field}: ${fault.message}`).join('; '), { errors });
}

function faultsOf(issue: z.core.$ZodIssue): FieldError[] {
  const path = issue.path[0] === 'input' ? issue.path.slice(1) : issue.path;
  const field = path.map(String).join('.') || 'body';
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => ({
      field: [...path, key].map(String).join('.'),
      message: 'is not a field of this request',
    }));
  if (issue.code === 'invalid_type')
    return [{ field, message: issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}` }];
  return [{ field, message: issue.message }];
}

function article(expected: string): string {
  const word = expected === 'record' ? 'object' : expected === 'int' ? 'integer' : expected;
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}
