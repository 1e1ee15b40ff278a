/** The tools of an assistant that read. */
import { z } from 'zod';
import { CHANNELS } from '../../kernel/channel.ts';
import { LOG_STATUSES } from '../../kernel/status.ts';
import { LOG_TYPES } from '../../modules/answers/log.data.ts';
import { sendMessageInput } from '../../modules/messaging/send-message.input.ts';
import type { Asker } from '../command.ts';
import { readEntries } from '../commands/logs.ts';
import { storyOf } from '../commands/messages/message.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { readRoute } from '../route.ts';
import { enumName, MOMENT, readMoment } from '../values.ts';

/** A token that opens a tool: of an area, or the operator's. */
export type Opener = 'unified' | 'sms' | 'otp' | 'management' | 'operator';

/** A tool, as the assistant is told of it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** The tokens that open it. */
  readonly openers: readonly Opener[];
  readonly input: z.ZodObject;
  /** Whether it sends. */
  readonly isSending?: boolean;
  /** Runs it with an input that fits. @throws Refusal, InvalidArgumentError */
  run(asker: Asker, input: unknown): Promise<unknown>;
}

/** A tool whose input has the type of its schema. */
export function tool<Input extends z.ZodObject>(row: {
  readonly name: string;
  readonly description: string;
  readonly openers: readonly Opener[];
  readonly input: Input;
  readonly isSending?: boolean;
  run(asker: Asker, input: z.output<Input>): Promise<unknown>;
}): Tool {
  return { ...row, run: (asker, input) => row.run(asker, input as z.output<Input>) };
}

/** The tokens that send messages. */
export const SENDERS: readonly Opener[] = ['unified', 'sms', 'operator'];

const LOG_INPUT = z.strictObject({
  recipient: z
    .string()
    .optional()
    .describe('Only this person: a phone number, or the id that a channel has in its place'),
  messageId: z.string().optional().describe('Only this message, msg_…'),
  pinId: z.string().optional().describe('Only this passcode, pin_…'),
  reference: z.string().optional().describe("Only the send with this reference, the caller's own"),
  statuses: z.array(z.enum(LOG_STATUSES)).optional().describe('Only what stands at one of these'),
  type: z.enum(LOG_TYPES).optional().describe('Only what tells of this'),
  channel: z.enum(CHANNELS).optional().describe('Only this channel'),
  errorCode: z.string().optional().describe('Only what failed with this code'),
  country: z.string().optional().describe('Only recipients of this country, two letters like US'),
  since: z.string().optional().describe(`Only from then on: ${MOMENT}`),
  until: z.string().optional().describe(`Only before it: ${MOMENT}`),
  limit: z.int().min(1).max(200).optional().describe('How many entries; 50 where it is not given'),
});

const searchLog = tool({
  name: 'search_log',
  description:
    'The log, newest first: every attempt to send, every outcome of a passcode, and what came in. It holds no text and no code.',
  openers: ['unified', 'sms', 'otp', 'management', 'operator'],
  input: LOG_INPUT,
  async run(asker, { recipient: to, statuses: status, since, until, ...rest }) {
    const times = { since: since && readMoment(since), until: until && readMoment(until) };
    return { entries: await readEntries(asker, { ...rest, ...times, to, status }) };
  },
});

const messageStory = tool({
  name: 'message_story',
  description:
    'Everything that happened to one message, in its order: which channels and connections were tried and why, what providers answered and reported, whom webhooks told.',
  openers: ['unified', 'sms', 'management', 'operator'],
  input: z.strictObject({ message: z.string().describe('Its id, msg_…, or the reference of the caller') }),
  run: (asker, { message }) => storyOf(asker, message),
});

const figures = tool({
  name: 'figures',
  description:
    'How the account does, beside the time before: attempts, successes, latencies by provider, passcodes, what fails most, what needs a look, and how long the credits last.',
  openers: ['unified', 'management', 'operator'],
  input: z.strictObject({
    range: z.enum(['day', 'week', 'month']).optional().describe('24 hours, 7 or 30 days; a day where it is not given'),
  }),
  run: ({ operator, accountId }, { range }) => operator.run(OPERATIONS.figures, { range: enumName(range) }, accountId),
});

const balance = tool({
  name: 'balance',
  description:
    'The SMS credits of the account: what can be spent, what is held, and the caps. One credit pays one segment.',
  openers: ['unified', 'sms', 'otp', 'management', 'operator'],
  input: z.strictObject({}),
  run: ({ operator, accountId }) => operator.run(OPERATIONS.balance, { accountId }, accountId),
});

const connections = tool({
  name: 'connections',
  description:
    'The connections of the account to providers, in the order in which they are tried, with their health, and what fails with no_route while they stay as they are. None: shared ones send, or the sandbox.',
  openers: ['management', 'operator'],
  input: z.strictObject({}),
  async run({ operator, accountId }) {
    const [rows, gaps] = await Promise.all([
      operator.run(OPERATIONS.connectionStates, { accountId }, accountId),
      operator.run(OPERATIONS.connectionGaps, { accountId }, accountId),
    ]);
    return { connections: rows, gaps };
  },
});

/** The input of a send as the API takes it. */
export function messageOf(input: z.output<typeof sendMessageInput>) {
  const { channels, deliveryMode, fallbackAfter, successStatus, ...rest } = input;
  const route = {
    channels: channels ?? undefined,
    mode: deliveryMode ?? undefined,
    fallbackAfter: fallbackAfter ?? undefined,
    successStatus: successStatus ?? undefined,
  };
  return { ...rest, ...readRoute(route) };
}

/** The dry run of a send; `confirm` makes what `send_message` asks for. */
export function previewTool(confirm?: (input: object) => string): Tool {
  return tool({
    name: 'preview_message',
    description: `What a send would do and cost, and who would be asked: nothing is sent.${confirm ? ' It answers the confirmation that send_message asks for.' : ''}`,
    openers: SENDERS,
    input: sendMessageInput,
    async run({ operator, accountId }, input) {
      const preview = await operator.run(OPERATIONS.previewSend, { input: messageOf(input) }, accountId);
      return confirm ? { preview, confirmation: confirm(input) } : { preview };
    },
  });
}

/** The tools that read, but for the dry run. */
export const READING: readonly Tool[] = [searchLog, messageStory, figures, balance, connections];
