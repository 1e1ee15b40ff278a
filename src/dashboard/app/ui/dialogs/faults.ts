/** The faults of inputs, each at its input. */
import { Failure } from '../failure.ts';

/**
 * The fault of an input, by its name, or of a part of its value; undefined: there is none.
 * @param partWord the name of a part for people, from the rest of its path: `0` of `countries.0`
 */
export function faultAt(
  failure: Failure | null,
  field: string,
  partWord: (rest: string) => string = rest => rest,
): string | undefined {
  const fault = failure?.faults.find(one => isOf(one.field, field));
  if (!fault || fault.field === field) return fault?.message;
  return `${partWord(fault.field.slice(field.length + 1))}: ${fault.message}`;
}

function isOf(fault: string, field: string): boolean {
  return fault === field || fault.startsWith(`${field}.`);
}

/** A failure without the faults that inputs show; null: they say it all. */
export function withoutShown(failure: Failure | null, fields: readonly string[]): Failure | null {
  if (!failure) return null;
  const faults = failure.faults.filter(fault => !fields.some(field => isOf(fault.field, field)));
  if (failure.faults.length > 0 && faults.length === 0) return null;
  const { code, message, requestId, retryAfter } = failure;
  return new Failure(code, message, { faults, requestId, retryAfter });
}
