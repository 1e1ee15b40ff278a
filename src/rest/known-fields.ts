/** The fields that a path documents. Old callers send others beside them, which are nothing to us (contract §4). */
import { z } from 'zod';
import { type FieldError, faultyInput } from '../kernel/errors.ts';
import { nearName } from '../kernel/settings/near-name.ts';

/**
 * Leaves out the members that a schema does not know, at every depth. A value that is no object is left to the schema.
 * @throws AppError `invalid_input` on a mistyped name: left out, it would cost a reference or a channel silently
 */
export function keepKnown(schema: z.ZodType, input: unknown): unknown {
  const faults: FieldError[] = [];
  const known = keep(schema, input, '', faults);
  if (faults.length > 0) throw faultyInput(faults);
  return known;
}

function keep(schema: z.ZodType, value: unknown, path: string, faults: FieldError[]): unknown {
  const members = membersOf(schema);
  if (!members || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = members.get(name);
    if (known) kept[name] = keep(known, member, `${path}${name}.`, faults);
    else {
      const meant = nearName(name, [...members.keys()]);
      if (meant !== null)
        faults.push({ field: path + name, message: `is not a field of this request; did you mean ${path}${meant}?` });
    }
  }
  return kept;
}

/** The members of object schemas without their wrappers, unwrapped once. */
const knownMembers = new WeakMap<z.ZodType, ReadonlyMap<string, z.ZodType> | null>();

/** The members of an object schema; null of any other. */
function membersOf(schema: z.ZodType): ReadonlyMap<string, z.ZodType> | null {
  const known = knownMembers.get(schema);
  if (known !== undefined) return known;
  const inner = unwrap(schema);
  const members = inner instanceof z.ZodObject ? new Map<string, z.ZodType>(Object.entries(inner.shape)) : null;
  knownMembers.set(schema, members);
  return members;
}

/** The schema of the given value, without wrappers such as `optional`. */
function unwrap(schema: z.ZodType): z.ZodType {
  let current: unknown = schema;
  for (;;) {
    if (current instanceof z.ZodOptional || current instanceof z.ZodNullable) current = current.unwrap();
    else if (current instanceof z.ZodPipe) current = current.in;
    else return current as z.ZodType;
  }
}
