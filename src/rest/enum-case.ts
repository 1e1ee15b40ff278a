/** The words of enums on their way through the facade: lower-case in REST, upper-case in GraphQL. */
import type { Channel, DeliveryMode } from '../kernel/channel.ts';

/** The members of a result that hold such words. */
const WORDS: ReadonlySet<string> = new Set(['status', 'channel', 'deliveryMode', 'type']);

/** A result of an operation with its words in lower case, at every depth. It is copied: an execution owns its result. */
export function lowerWords<Value>(value: Value): Value {
  return toRest('', value) as Value;
}

function toRest(key: string, value: unknown): unknown {
  if (typeof value === 'string') return WORDS.has(key) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(item => toRest(key, item));
  // A Date is written by JSON.stringify, and is no object of ours.
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) copy[name] = toRest(name, inner);
  return copy;
}

/** An input with the words of a route. */
interface RouteWords {
  readonly [field: string]: unknown;
  readonly channels?: readonly Channel[] | null | undefined;
  readonly deliveryMode?: DeliveryMode | null | undefined;
}

/** The input of a send with the words of its route in upper case. */
export function upperRoute(input: RouteWords): Record<string, unknown> {
  return {
    ...input,
    channels: input.channels?.map(channel => channel.toUpperCase()),
    deliveryMode: input.deliveryMode?.toUpperCase(),
  };
}
