/** The mount table: every documented path, and the operation that stands behind it. */
import { z } from 'zod';
import { AppError, invalidInput } from '../kernel/errors.ts';
import { type SendMessageInput, sendMessageInput } from '../modules/messaging/send-message.input.ts';
import { type NewPlantInput, newPlantInput } from '../modules/plants/plants.ts';
import { bare, failure, success } from './envelope.ts';
import { mount, type Route, type RouteOptions } from './mount.ts';
import { logsData, messageData, plantData } from './schemas.ts';

/** The words of an operation's result are upper-case in GraphQL and lower-case in REST. */
const WORDS: ReadonlySet<string> = new Set(['status', 'channel', 'deliveryMode', 'type']);

/** A result of an operation with its words in lower case, at every depth. It is copied: an execution owns its result. */
function lowerWords<Value>(value: Value): Value {
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

const logsQuery = z.strictObject({
  limit: z
    .string()
    .refine(
      value => /^[0-9]{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= 200,
      'must be a whole number from 1 to 200',
    )
    .optional()
    // Documented as an integer; a query string holds text.
    .meta({ description: 'How many entries', type: 'integer', minimum: 1, maximum: 200, default: 50 }),
  cursor: z.string().optional().meta({ description: 'The nextCursor of the page before' }),
});

/** The parameters that a page of the log takes; any other is not ours. */
function readLogsQuery(_raw: Record<string, unknown>, request: Request): Record<string, unknown> {
  const { searchParams } = new URL(request.url);
  const read = (name: string): Record<string, string> => {
    const values = searchParams.getAll(name);
    if (values.length > 1) throw invalidInput(name, 'must be given once');
    return values[0] === undefined ? {} : { [name]: values[0] };
  };
  return { ...read('limit'), ...read('cursor') };
}

interface SentMessage {
  readonly status: string;
}

const sendOptions: Omit<RouteOptions<SendMessageInput, SentMessage>, 'summary' | 'description' | 'area'> = {
  input: sendMessageInput,
  variables: input => ({
    input: {
      ...input,
      channels: input.channels?.map(channel => channel.toUpperCase()),
      deliveryMode: input.deliveryMode?.toUpperCase(),
    },
  }),
  answer: (result, requestId) => answerSend(lowerWords(result), requestId),
  data: messageData,
  failures: [403, 409, 422, 502],
};

function answerSend(message: SentMessage, requestId: string): Response {
  if (message.status === 'failed')
    return failure(new AppError('all_channels_failed', 'No channel accepted the message.'), requestId, 'problem', {
      data: message,
    });
  return success(
    message.status === 'unknown' ? 'The outcome is not known: the provider did not answer.' : 'The message was sent.',
    message,
  );
}

interface LogsResult {
  readonly nodes: readonly unknown[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Every route of the facade. */
export const routes: readonly Route[] = [
  mount('send-message').at('POST', '/api/omni/send', {
    ...sendOptions,
    summary: 'Send a message',
    description:
      'Sends a text over the selected channels, one after another (fallback) or all at once. Every channel attempt is logged.',
    area: 'unified',
  }),
  mount('logs').at('GET', '/api/omni/logs', {
    summary: 'Read the log',
    description: 'Every channel attempt of the account, not only the final success, newest first.',
    area: 'unified',
    input: logsQuery,
    read: readLogsQuery,
    variables: ({ limit, cursor }) => ({ first: limit === undefined ? null : Number(limit), after: cursor ?? null }),
    answer: ({ nodes, pageInfo }: LogsResult) =>
      success(
        'The newest entries of the log.',
        lowerWords({
          logs: nodes,
          nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
        }),
      ),
    data: logsData,
    fieldNames: { first: 'limit', after: 'cursor' },
    failures: [403],
  }),
  mount('send-message').at('POST', '/api/sms/send', {
    ...sendOptions,
    summary: 'Send an SMS',
    description: 'Sends a text by SMS. Takes the SMS token.',
    area: 'sms',
  }),
  mount('create-plant').at('POST', '/plants', {
    summary: 'Create a plant',
    description: 'The sample endpoint. Takes any live token.',
    area: 'any',
    failureStyle: 'plant',
    input: newPlantInput,
    variables: ({ id, name, tag }: NewPlantInput) => ({ input: { id, name, tag } }),
    answer: ({ name, tag }: { name: string; tag: string | null }) => bare(tag === null ? { name } : { name, tag }),
    data: plantData,
    isBare: true,
    int64: true,
    failures: [],
  }),
];
