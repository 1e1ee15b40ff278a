/** What the operations of the command line are made of. */
import { z } from 'zod';
import type { Operation } from '../gateway/operator.ts';

/** A word of an enum, in lower case, as in REST. */
export const word = z.string().transform(value => value.toLowerCase());
/** A text. */
export const text = z.string();
/** A time, ISO 8601. */
export const time = z.string();

/** An operation: its document, which calls its one field `result`, and the shape of what that answers. */
export function operation<Data>(document: string, result: z.ZodType<Data>): Operation<Data> {
  return { document, result };
}
