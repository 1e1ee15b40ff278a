/** Inputs: rules that many share, the faults of a zod schema as `invalid_input`, and which inputs are checked already. */
import { z } from 'zod';
import { type AppError, type FieldError, faultyInput } from './errors.ts';

/** An input that a path of the facade has checked: by the schema of its operation, or by a stricter one. */
export class CheckedInput {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/** A schema that takes a `CheckedInput` as it is, and checks everything else. */
export function unlessChecked<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  return z.transform((given: unknown, context): z.output<Schema> => {
    if (given instanceof CheckedInput) return given.value as z.output<Schema>;
    const { data, error } = schema.safeParse(given);
    if (!error) return data;
    context.issues.push(...error.issues.map(issue => ({ ...issue, input: given }) as z.core.$ZodRawIssue));
    return z.NEVER;
  });
}

/** `invalid_input` for `input`, which a schema refused; each fault names the field as the caller wrote it. */
export function toInputError(error: z.ZodError, input: unknown): AppError {
  const nameOf = ({ path }: z.core.$ZodIssue): string => JSON.stringify(path);
  const mistyped = new Set(error.issues.filter(({ code }) => code === 'invalid_type').map(nameOf));
  // Of a list in the place of a text zod checks the length too, though its type alone is wrong.
  const issues = error.issues.filter(issue => issue.code === 'invalid_type' || !mistyped.has(nameOf(issue)));
  const faults = issues.flatMap(issue => faultsOf(issue, input));
  // One value may break several rules that say the same.
  return faultyInput([...new Map(faults.map(fault => [`${fault.field}: ${fault.message}`, fault])).values()]);
}

function faultsOf(issue: z.core.$ZodIssue, input: unknown): FieldError[] {
  const path = issue.path[0] === 'input' ? issue.path.slice(1) : issue.path;
  const field = path.map(String).join('.') || 'body';
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => ({
      field: [...path, key].map(String).join('.'),
      message: 'is not a field of this request',
    }));
  if (issue.code === 'invalid_type') {
    // An issue does not hold the value that it found.
    if (valueAt(input, issue.path) === undefined) return [{ field, message: 'is required' }];
    // A message that the schema sets itself is more precise than the type.
    const isOwn = !issue.message.startsWith('Invalid input');
    return [{ field, message: isOwn ? issue.message : `must be ${article(issue.expected)}` }];
  }
  return [{ field, message: issue.message }];
}

/** The own value at a path of members; undefined where there is none. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined,
    value,
  );
}

function article(expected: string): string {
  const word = expected === 'record' ? 'object' : expected === 'int' ? 'integer' : expected;
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}

/** The rule of a text that is one of these words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, `must be one of ${words.join(', ')}`);
}

/** The rule of a whole number within two bounds, with one message for whatever breaks it. */
export function wholeFrom(min: number, max: number, message = `must be a whole number from ${min} to ${max}`) {
  return z.int(message).min(min, message).max(max, message);
}

/** The rule of a whole number within two bounds, with a message for each. @param ofOthers the fault of anything else; absent: the type that it must have */
export function intBetween(min: number, max: number, ofOthers?: string) {
  return z.int(ofOthers).min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);
}
