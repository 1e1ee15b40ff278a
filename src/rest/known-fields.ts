/** The fields that a path documents. Old callers send others beside them, which are nothing to us (contract §4). */
import { z } from 'zod';
import { type FieldError, faultyInput } from '../kernel/errors.ts';
import { nearName } from '../kernel/settings/near-name.ts';

/**
 * What of an input its schema knows, at every depth; where there is no object, the schema has its say. @throws AppError `invalid_input`
 * on a name that was nearly written: left out, it would cost a reference or a channel silently
 */
export function keepKnown(schema: z.ZodType, input: unknown): unknown {
  const faults: FieldError[] = [];
  const known = keep(schema, input, '', faults);
  if (faults.length > 0) throw faultyInput(faults);
  return known;
}

function keep(schema: z.ZodType, value: unknown, path: string, faults: FieldError[]): unknown {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const shape: Readonly<Record<string, z.ZodType>> = inner.shape;
  const names = Object.keys(shape);
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field) kept.push([name, keep(field, member, `${path}${name}.`, faults)]);
    else {
      const meant = nearName(name, names);
      if (meant !== null)
        faults.push({ field: path + name, message: `is not a field of this request; did you mean ${path}${meant}?` });
    }
  }
  return Object.fromEntries(kept);
}

/** The schema of what is written, without what may stand around it. */
function unwrap(schema: z.ZodType): z.ZodType {
  let current: unknown = schema;
  for (;;) {
    if (current instanceof z.ZodOptional || current instanceof z.ZodNullable) current = current.unwrap();
    else if (current instanceof z.ZodPipe) current = current.in;
    else return current as z.ZodType;
  }
}
