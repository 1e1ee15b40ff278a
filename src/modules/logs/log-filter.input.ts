/** The inputs of the log (contract §6). */
import { z } from 'zod';
import { inOrder, pageInput, timeRange } from '../../db/page.ts';
import { oneOf, wholeFrom } from '../../kernel/input.ts';
import { isCountry, parsePhone } from '../../kernel/phone.ts';
import { LOG_STATUSES } from '../../kernel/status.ts';
import { isStorableText, textInput } from '../../kernel/storable.ts';
import { LOG_TYPES } from '../answers/log.data.ts';
import { sharedFilter } from '../messaging/message-filter.input.ts';

/** Longer than any sender or id. An unknown id finds nothing. */
const NAME_LENGTH_MAX = 64;

const name = textInput(NAME_LENGTH_MAX);

/** The longest id of a person that is kept. */
const PERSON_LENGTH_MAX = 255;

/** The id of a person without a phone number, like `US.1349`, `1349@lid` or `MYBANK`, or digits that are no number of a country. A mistyped number is none. */
const PERSON_ID = /^(?:\d{1,20}|.*[^\d\s()+.-].*)$/;

function isPerson(value: string): boolean {
  if (value.length > PERSON_LENGTH_MAX || !isStorableText(value)) return false;
  return parsePhone(value) !== null || PERSON_ID.test(value);
}

/** The most codes of one filter: more than a provider's list has groups. */
const CODES_MAX = 20;

/** Stands for what an entry does not have: a provider, a country. */
export const NONE = 'none';

/** The filter of the log: every present member narrows the list. */
const logFilterInput = inOrder(
  z.strictObject({
    ...sharedFilter,
    channel: sharedFilter.channel.meta({ description: 'Only this channel' }),
    recipient: z
      .string()
      .refine(
        isPerson,
        'must be a phone number with country code, like +12025550100, or the id that a channel has in its place',
      )
      .nullish()
      .meta({
        maxLength: PERSON_LENGTH_MAX,
        description: 'Only this person: a phone number, or the id that a channel has in its place',
      }),
    status: oneOf(LOG_STATUSES).nullish().meta({ description: 'Only what stands there' }),
    statuses: z
      .array(z.enum(LOG_STATUSES))
      .min(1, 'must name at least one status')
      .max(LOG_STATUSES.length)
      .nullish()
      .meta({ description: 'Only what stands at one of these' }),
    type: oneOf(LOG_TYPES).nullish().meta({ description: 'Only this type' }),
    types: z
      .array(z.enum(LOG_TYPES))
      .min(1, 'must name at least one type')
      .max(LOG_TYPES.length)
      .nullish()
      .meta({ description: 'Only these types' }),
    sender: name.nullish().meta({ description: 'Only this sender: an SMS sender name, or a chat number' }),
    messageId: name.nullish().meta({ description: 'Only this message' }),
    pinId: name.nullish().meta({ description: 'Only this passcode' }),
    attemptId: name.nullish().meta({
      description: 'Only this attempt, or this outcome of a passcode, by the id of its entry, `att_…`',
    }),
    errorCode: name
      .nullish()
      .meta({ description: 'Only what failed with this code, written exactly so: `recipient_refused`' }),
    errorCodes: z
      .array(name)
      .min(1, 'must name at least one code')
      .max(CODES_MAX)
      .nullish()
      .meta({ description: 'Only what failed with one of these codes' }),
    provider: name.nullish().meta({
      description: 'Only what went through this provider, by its id; `none`: what no provider was asked for',
    }),
    connectionId: name.nullish().meta({ description: 'Only what went by this connection' }),
    country: z
      .string()
      .refine(code => code === NONE || isCountry(code), 'must be the code of a country, two letters like US, or none')
      .nullish()
      .meta({
        description:
          'Only recipients of this country, ISO 3166-1 alpha-2; `none`: numbers that belong to none, and attempts from before the gateway kept the country of each',
      }),
  }),
).meta({ id: 'LogFilter', description: 'Which entries to list; what is absent does not narrow' });

/** A valid filter of the log. */
export type LogFilter = z.infer<typeof logFilterInput>;

/** The input of `listLogs`. */
export const listLogsInput = pageInput.extend({
  filter: logFilterInput.nullish().meta({ description: 'Which entries' }),
});

/** The most buckets of a histogram. */
const BUCKETS_MAX = 120;

/** The input of `countLogs`. */
export const countLogsInput = inOrder(
  z.strictObject({
    filter: logFilterInput.nullish().meta({ description: 'Which entries' }),
    from: timeRange.from.meta({ description: 'From this time; absent: 24 hours before `to`' }),
    to: timeRange.to.meta({ description: 'Before this time; absent: until now' }),
    buckets: wholeFrom(1, BUCKETS_MAX)
      .nullish()
      .meta({ description: `The most buckets, 1 to ${BUCKETS_MAX}; 60 where absent` }),
  }),
);

/** A valid input of `countLogs`. */
export type CountLogsInput = z.infer<typeof countLogsInput>;

/** A valid input of `listLogs`. */
export type ListLogsInput = z.infer<typeof listLogsInput>;
