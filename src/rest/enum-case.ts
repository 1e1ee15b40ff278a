/** The words of enums on their way through the facade: lower-case in REST, upper-case in GraphQL. */
import type { Channel, DeliveryMode } from '../kernel/channel.ts';
import { ENUM_MEMBERS } from './operations/operations.generated.ts';

const WORDS: ReadonlySet<string> = new Set(ENUM_MEMBERS);

/** A result with its words in lower case, and its times as texts. */
export type LowerWords<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly LowerWords<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: Key extends EnumMember ? LowerWord<Value[Key]> : LowerWords<Value[Key]> }
      : Value;

type EnumMember = (typeof ENUM_MEMBERS)[number];
type LowerWord<Word> = Word extends string ? Lowercase<Word> : Word;

/** A result of an operation with its words in lower case and its times as texts, at every depth. The result is copied: an execution owns it. */
export function lowerWords<Value>(value: Value): LowerWords<Value> {
  return toRest('', value) as LowerWords<Value>;
}

function toRest(key: string, value: unknown): unknown {
  if (typeof value === 'string') return WORDS.has(key) ? value.toLowerCase() : value;
  if (Array.isArray(value)) return value.map(item => toRest(key, item));
  if (value === null || typeof value !== 'object') return value;
  // JSON.stringify takes four times as long for a value that holds one.
  if (value instanceof Date) return value.toISOString();
  const copy: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) copy[name] = toRest(name, inner);
  return copy;
}

/** Variables of an operation with their words in lower case, as fields take them. */
export type InnerWords<Value> = Value extends string
  ? string extends Value
    ? Value
    : Lowercase<Value>
  : Value extends readonly (infer Item)[]
    ? readonly InnerWords<Item>[]
    : Value extends object
      ? { [Key in keyof Value]: InnerWords<Value[Key]> }
      : Value;

/** The words of a route, as REST has them. */
interface RouteWords {
  readonly channels?: readonly Channel[] | null | undefined;
  readonly deliveryMode?: DeliveryMode | null | undefined;
}

/** An input with the words of its route in upper case, as callers of GraphQL write them. */
export function upperRoute(input: RouteWords): object {
  return {
    ...input,
    channels: input.channels?.map(channel => channel.toUpperCase()),
    deliveryMode: input.deliveryMode?.toUpperCase(),
  };
}
