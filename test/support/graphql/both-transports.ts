/** Input that both transports take or refuse, and what a caller hears of each. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { GraphqlAnswer, RestAnswer } from '../app.ts';

/** An answer as a caller hears it, without ids, times and the words of the transport. */
export interface Heard {
  readonly code: string | null;
  readonly fields: readonly string[];
  readonly retryAfter: number | null;
  readonly replayed: boolean;
  readonly result: unknown;
}

/** Values that hardly a field takes. */
export const WRONG = fc.constantFrom<unknown>(null, 0, 1.5, true, '', 'x', [], {}, 'a\u0000', '\ud800', ['\u0000']);

/** A field that is otherwise: one of these values, one of another type, or not there. */
export const change = <Value>(field: string, values: fc.Arbitrary<Value>) =>
  fc.oneof(values, WRONG, fc.constant(undefined)).map(value => ({ [field]: value }));

/** The answer that was heard by REST. */
export function heardByRest({ body, headers }: RestAnswer): Heard {
  const { code = null, errors = [], retryAfter = null, data } = body;
  return {
    // A send that no channel accepted is data in GraphQL (contract §4).
    code: code === 'all_channels_failed' ? null : code,
    fields: errors.map(error => error.field).sort(),
    retryAfter,
    replayed: headers.get('idempotency-replayed') === 'true',
    result: data === undefined ? null : withoutIds(data),
  };
}

/** The answer that was heard by GraphQL, of the one field that was asked. */
export function heardByGraphql({ data, errors, headers }: GraphqlAnswer<Readonly<Record<string, object>>>): Heard {
  const [error] = errors ?? [];
  const [result] = Object.values(data ?? {});
  return {
    code: error?.extensions.code.toLowerCase() ?? null,
    fields: (errors ?? [])
      .flatMap(({ extensions }) => extensions.errors ?? [])
      .map(({ field }) => field)
      .sort(),
    retryAfter: error?.extensions.retryAfter ?? null,
    replayed: headers.get('idempotency-replayed') === 'true',
    result: result === undefined ? null : withoutIds(result),
  };
}

const WORDS = new Set(['status', 'channel', 'deliveryMode']);

function withoutIds(result: object): unknown {
  return JSON.parse(JSON.stringify(result), (key, value: unknown) => {
    if (/Id$|At$/.test(key)) return value === null ? null : 'some';
    return WORDS.has(key) && typeof value === 'string' ? value.toLowerCase() : value;
  });
}

/**
 * Expects that both have heard the same, and answers whether the input was refused. GraphQL's own types refuse some inputs: the code is the same then, and
 * the fields are those of the first faults.
 */
export function expectSame(rest: Heard, graphql: Heard, needsTypes: boolean): boolean {
  if (rest.code !== 'invalid_input' || graphql.code !== 'invalid_input') {
    expect(graphql).toEqual(rest);
    return false;
  }
  expect(graphql.fields.length).toBeGreaterThan(0);
  expect({ ...graphql, fields: null }).toEqual({ ...rest, fields: null });
  if (!needsTypes) expect(graphql.fields).toEqual(rest.fields);
  return true;
}

/** Whether a value is of the type String!. */
export const isText = (value: unknown): boolean => typeof value === 'string';

/** Whether a value is of the type String. */
export const isOptionalText = (value: unknown): boolean => value == null || isText(value);

/** Whether the channels, their mode and the status that is waited for are words of the enums. */
export function hasRoute({ channels, deliveryMode, successStatus }: Readonly<Record<string, unknown>>): boolean {
  const areChannels =
    channels == null ||
    (Array.isArray(channels) && channels.every(channel => ['chat_qr', 'chat_cloud', 'sms'].includes(String(channel))));
  return (
    areChannels &&
    (deliveryMode == null || deliveryMode === 'fallback' || deliveryMode === 'all') &&
    (successStatus == null || successStatus === 'delivered' || successStatus === 'read')
  );
}
