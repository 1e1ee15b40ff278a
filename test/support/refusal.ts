/** How a verb refuses, to be compared with what it threw. */
import { expect } from 'vitest';

/** Matches the `AppError` of a code; where a field is named, it is the only one that is told of. */
export const refusal = (code: string, field?: string) =>
  expect.objectContaining({ code, ...(field && { details: { errors: [{ field, message: expect.any(String) }] } }) });
