/** The timeline of a message or a passcode in GraphQL: loaded only where it is asked for, for all of a request at once. */
import { loadMessageTimelines, loadOtpTimelines } from '../../../modules/timeline/load-timelines.ts';
import {
  type SkippedConnection,
  TIMELINE_KINDS,
  type TimelineEntry,
  type TimelineWebhook,
} from '../../../modules/timeline/timeline-entry.ts';
import { builder } from '../../builder.ts';
import { ChannelEnum, LogStatusEnum } from '../../enums.ts';
import { defineEnum } from '../../from-zod.ts';
import { heldOrLoaded } from '../../held-or-loaded.ts';
import { CONNECTION_FIELD } from '../attempt-connection.ts';
import { WebhookDeliveryStatusEnum } from '../webhooks/webhook-enums.ts';
import { VerdictEnum } from './connection-verdict.ts';

const TimelineKindEnum = defineEnum('TimelineKind', TIMELINE_KINDS, 'What happened to a message or a passcode.', {
  accepted: 'The request was accepted.',
  resent: 'A passcode was asked for once more; attempts follow.',
  attempt_started: 'A connection was chosen, and asked; `skipped` are those that were passed over for it.',
  attempt_ended: 'What the provider answered.',
  receipt: 'What the provider reported later.',
  waiting: 'The next channel follows in time, unless the accepted one delivers. Told while the time runs.',
  channel_skipped: 'Nobody was asked for a channel of the route.',
  wrong_code: 'A wrong code was given.',
  verified: 'The right code was given.',
  expired: 'A code was given after its time.',
  blocked: 'A code was given, and was not looked at.',
  flagged: 'The fraud guard noted it.',
  webhook: 'An endpoint was told, as `webhook` says. Shown to who may manage webhooks.',
});

const SkippedConnectionRef = builder.objectRef<SkippedConnection>('SkippedConnection').implement({
  description:
    'A connection that would have come first and was not asked; the one that was asked, where it was down or sick.',
  fields: t => ({
    connectionId: t.member('connectionId', 'String', 'Its id, `con_…`.'),
    name: t.member('name', 'String', 'What the operator calls it.'),
    verdict: t.member('verdict', VerdictEnum, 'Why it was passed over.'),
    reason: t.nullable('reason', 'String', 'Why it was sick, in a sentence without counts; null: it was not.'),
  }),
});

const TimelineWebhookRef = builder.objectRef<TimelineWebhook>('TimelineWebhook').implement({
  description: 'A delivery that a message or a passcode caused, as it stands now.',
  fields: t => ({
    deliveryId: t.member('deliveryId', 'String', 'Its id, `dlv_…`.'),
    endpointId: t.member('endpointId', 'String', 'The endpoint, `whk_…`.'),
    eventId: t.member('eventId', 'String', 'The event, `evt_…`.'),
    event: t.member('event', 'WebhookEventName', 'What it told.'),
    urlHost: t.member('urlHost', 'String', "The host of the endpoint's URL, with its port where it has one."),
    status: t.member('status', WebhookDeliveryStatusEnum, 'Where it stands.'),
    tries: t.member('tries', 'NonNegativeInt', 'Tries that were made.'),
    httpStatus: t.nullable('httpStatus', 'Int', 'What the last try was answered; null: nothing.'),
    durationMs: t.nullable(
      'durationMs',
      'NonNegativeInt',
      'How long the last try took, in milliseconds; null: none was made.',
    ),
    error: t.nullable('error', 'String', 'Why the last try failed, in a word; null: it did not.'),
  }),
});

const TimelineEntryRef = builder.objectRef<TimelineEntry>('TimelineEntry').implement({
  description: 'One thing that happened to a message or a passcode. What does not belong to its kind is null.',
  fields: t => ({
    at: t.member('at', 'DateTime', 'When.'),
    sinceMs: t.member('sinceMs', 'NonNegativeInt', 'Milliseconds since the request was accepted.'),
    kind: t.member('kind', TimelineKindEnum, 'What happened.'),
    reason: t.member('reason', 'String', 'What happened and why, in plain English. For people: its words may change.'),
    channel: t.nullable('channel', ChannelEnum, 'The channel.'),
    attemptId: t.nullable('attemptId', 'String', 'The attempt, `att_…`.'),
    status: t.nullable('status', LogStatusEnum, 'Where the attempt stood then; of an outcome, what it was.'),
    provider: t.nullable('provider', 'String', 'The id of the provider; null: none was asked.'),
    connection: t.field(CONNECTION_FIELD),
    skipped: t.member(
      'skipped',
      [SkippedConnectionRef],
      'The connections that were passed over when it was chosen; empty, as mostly: none.',
    ),
    sender: t.nullable('sender', 'String', 'The sender that it went out from.'),
    errorCode: t.nullable('errorCode', 'String', "Why it failed, in a word, or the provider's own code."),
    errorMessage: t.nullable('errorMessage', 'String', "Why it failed, in a sentence, often the provider's own."),
    providerMessageId: t.nullable('providerMessageId', 'String', "The provider's own id of what it accepted."),
    durationMs: t.nullable(
      'durationMs',
      'NonNegativeInt',
      'How long it took, in milliseconds: the provider to answer, or a receipt to come after that, or a try of a webhook.',
    ),
    segments: t.nullable('segments', 'NonNegativeInt', 'SMS segments.'),
    credits: t.nullable('credits', 'NonNegativeInt', 'SMS credits that it costs.'),
    webhook: t.nullable('webhook', TimelineWebhookRef, 'The delivery.'),
  }),
});

const ABOUT = {
  type: [TimelineEntryRef] as [typeof TimelineEntryRef],
  description:
    'Everything that happened to it, oldest first: which connections were chosen and why, what providers answered and reported, and whom webhooks told.',
  // Its attempts, receipts, connections and webhooks are read.
  complexity: { field: 5, multiplier: 10 },
} as const;

/** The options of `Message.timeline`. */
export const MESSAGE_TIMELINE = { ...ABOUT, resolve: heldOrLoaded(() => undefined, loadMessageTimelines) };

/** The options of `Otp.timeline`. */
export const OTP_TIMELINE = { ...ABOUT, resolve: heldOrLoaded(() => undefined, loadOtpTimelines) };
