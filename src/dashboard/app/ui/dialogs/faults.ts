/** The faults of inputs, each at its input. */
import { Failure } from '../../api/ask.ts';

/** What is at fault with an input, by its name; undefined: nothing. */
export function faultAt(failure: Failure | null, field: string): string | undefined {
  return failure?.faults.find(fault => fault.field === field)?.message;
}

/** A failure without the faults that inputs show; null: they say it all. */
export function withoutShown(failure: Failure | null, fields: readonly string[]): Failure | null {
  if (!failure) return null;
  const faults = failure.faults.filter(({ field }) => !fields.includes(field));
  if (failure.faults.length > 0 && faults.length === 0) return null;
  const { code, message, requestId, retryAfter } = failure;
  return new Failure(code, message, { faults, requestId, retryAfter });
}
