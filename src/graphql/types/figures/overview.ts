/** The overview of an account in GraphQL: one query serves the page. */
import { sentenceOf } from '../../../kernel/attempt-errors.ts';
import { NOTICE_KINDS, type OverviewNotice } from '../../../modules/figures/notices.policy.ts';
import { OVERVIEW_RANGES, overviewInput } from '../../../modules/figures/overview.input.ts';
import type {
  OverviewCount,
  OverviewFailure,
  OverviewLatency,
  OverviewTotals,
} from '../../../modules/figures/overview.policy.ts';
import { type Overview, type OverviewOtps, overview } from '../../../modules/figures/overview.ts';
import { ROUTES_NEWEST, type RouteFigures, routeFigures } from '../../../modules/figures/route-figures.ts';
import { builder } from '../../builder.ts';
import { ChannelEnum, LogStatusEnum } from '../../enums.ts';
import { byArgs, defineEnum } from '../../from-zod.ts';

defineEnum(
  'OverviewRange',
  OVERVIEW_RANGES,
  'A time up to now, in whole buckets of UTC, of which the last is under way.',
  {
    day: 'The last 24 hours, by hour.',
    week: 'The last 7 days, by 6 hours.',
    month: 'The last 30 days, by day.',
  },
);

const OverviewBucketRef = builder.objectRef<OverviewCount>('OverviewBucket').implement({
  description: 'The attempts of one bucket over one channel that stand alike.',
  fields: t => ({
    from: t.member('from', 'DateTime', 'When the bucket begins.'),
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    status: t.member('status', LogStatusEnum, 'Where the attempts stand now, receipts included.'),
    attempts: t.member('attempts', 'NonNegativeInt', 'How many there are.'),
  }),
});

const OverviewTotalsRef = builder.objectRef<OverviewTotals>('OverviewTotals').implement({
  description: 'The attempts of a time, by what became of them. A send that took several channels is several attempts.',
  fields: t => ({
    attempts: t.member('attempts', 'NonNegativeInt', 'Attempts over channels.'),
    accepted: t.member('accepted', 'NonNegativeInt', 'Those at `SENT`, `DELIVERED` or `READ`.'),
    delivered: t.member('delivered', 'NonNegativeInt', 'Those at `DELIVERED` or `READ`.'),
    failed: t.member('failed', 'NonNegativeInt', 'Those at `FAILED` or `EXPIRED`.'),
    unknown: t.member('unknown', 'NonNegativeInt', 'Those at `UNKNOWN`.'),
    successRate: t.nullable(
      'successRate',
      'Float',
      '`accepted` as a part of `accepted` and `failed`, 0 to 1; null where there are neither.',
    ),
    credits: t.member('credits', 'NonNegativeInt', 'Credits that the attempts cost.'),
  }),
});

const OverviewLatencyRef = builder.objectRef<OverviewLatency>('OverviewLatency').implement({
  description: 'How long a provider took to answer, over one channel.',
  fields: t => ({
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    provider: t.member('provider', 'String', 'The provider.'),
    attempts: t.member('attempts', 'NonNegativeInt', 'Attempts that it was asked for.'),
    medianMs: t.member(
      'medianMs',
      'NonNegativeInt',
      'Half took at most so many milliseconds; at most 5 % or 1 ms off.',
    ),
    p95Ms: t.member('p95Ms', 'NonNegativeInt', '95 % took at most so many milliseconds; at most 5 % or 1 ms off.'),
  }),
});

const OverviewOtpsRef = builder.objectRef<OverviewOtps>('OverviewOtps').implement({
  description: 'The passcodes that were first tried in a time, counted as `otpSummary` does.',
  fields: t => ({
    sent: t.member(
      'sent',
      'NonNegativeInt',
      'Those that a provider accepted or may have, and those that were verified.',
    ),
    verified: t.member('verified', 'NonNegativeInt', 'Those whose code was given.'),
    conversionRate: t.nullable(
      'conversionRate',
      'Float',
      '`verified` as a part of `sent`, 0 to 1; null where none were sent.',
    ),
  }),
});

const OverviewFailureRef = builder.objectRef<OverviewFailure>('OverviewFailure').implement({
  description: 'Attempts that failed alike.',
  fields: t => ({
    errorCode: t.member(
      'errorCode',
      'String',
      'Why; the section "Why an attempt failed" of `/docs/errors` says what it means.',
    ),
    meaning: t.string({
      description: 'The code in a sentence of ours.',
      resolve: ({ errorCode }) => sentenceOf(errorCode),
    }),
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    provider: t.nullable('provider', 'String', 'The provider; null: none was asked.'),
    country: t.nullable('country', 'String', 'Country of the recipients, ISO 3166-1 alpha-2; null: it is not stored.'),
    attempts: t.member('attempts', 'NonNegativeInt', 'How many there are.'),
    previousAttempts: t.member('previousAttempts', 'NonNegativeInt', 'How many there were in the time before.'),
  }),
});

const NoticeKindEnum = defineEnum('OverviewNoticeKind', NOTICE_KINDS, 'What needs a look.', {
  endpoint_disabled: 'A webhook endpoint is disabled: it answered 410, or nothing but failures for five days.',
  endpoint_failing: 'The last tries to a webhook endpoint failed, and what happens waits for it.',
  connection_down: 'A connection that the account sends by is down.',
  quota_low: 'The number of a connection has the quality red, or has used four fifths of its reach.',
  number_locked: 'The chat lets a linked number write to nobody new for now.',
  balance_low: "The balance is below the account's threshold.",
  guard_stopped: 'The fraud guard refused passcodes.',
  guard_flagged: 'The fraud guard would have refused passcodes, were it set to block.',
});

const OverviewNoticeRef = builder.objectRef<OverviewNotice>('OverviewNotice').implement({
  description: 'Something of an account that needs a look.',
  fields: t => ({
    kind: t.member('kind', NoticeKindEnum, 'What it is about.'),
    at: t.member('at', 'DateTime', 'Since when it is so; of the fraud guard: when it decided last.'),
    subject: t.nullable(
      'subject',
      'String',
      'The id of the endpoint (`whk_…`) or the connection (`con_…`); null: neither, or a connection that is shared.',
    ),
    name: t.nullable(
      'name',
      'String',
      'The host of the endpoint, and what tells it from others there; the name of the connection; null: neither.',
    ),
    reason: t.string({
      nullable: true,
      description:
        'Of a disabled endpoint `gone` or `failing`; of a connection of the account its `lastError`, for those who may read connections; of the fraud guard the `errorCode` of its last decision; null: `kind` says it.',
      // A host may stand in it.
      resolve: ({ kind, reason }, _args, { actor }) =>
        kind === 'connection_down' && actor.kind === 'token' && actor.area !== 'management' ? null : reason,
    }),
    meaning: t.string({
      nullable: true,
      description: 'That `errorCode` in a sentence of ours; null: it is about something else.',
      resolve: ({ reason, count }) => (count === null || reason === null ? null : sentenceOf(reason)),
    }),
    count: t.nullable(
      'count',
      'NonNegativeInt',
      'How many deliveries wait for a failing endpoint (1,000: that many or more), or how many passcodes the fraud guard refused or flagged in the time; null: it is about something else.',
    ),
  }),
});

const OverviewRouteRef = builder.objectRef<RouteFigures>('OverviewRoute').implement({
  description: 'What went by one connection to one country.',
  fields: t => ({
    connectionId: t.nullable('connectionId', 'String', 'Id of the connection, `con_…`; null: it went by the sandbox.'),
    connectionName: t.nullable(
      'connectionName',
      'String',
      'What the connection is called; null: it went by the sandbox.',
    ),
    channel: t.member('channel', ChannelEnum, 'The channel.'),
    provider: t.member('provider', 'String', 'The provider.'),
    country: t.nullable(
      'country',
      'String',
      'Country of the recipients, ISO 3166-1 alpha-2; null: it is not stored, as for messages in the sandbox.',
    ),
    attempts: t.member('attempts', 'NonNegativeInt', 'Attempts.'),
    delivered: t.member('delivered', 'NonNegativeInt', 'Those at `DELIVERED` or `READ`.'),
    failed: t.member('failed', 'NonNegativeInt', 'Those at `FAILED` or `EXPIRED`.'),
    p95Ms: t.nullable(
      'p95Ms',
      'Float',
      'The provider answered 95 % of them within so many milliseconds; null: none has ended.',
    ),
  }),
});

const OverviewRef = builder.objectRef<Overview>('Overview').implement({
  description: 'What an account sent in a time, how that went, and what it has left.',
  fields: t => ({
    from: t.member('from', 'DateTime', 'When the time begins.'),
    to: t.member('to', 'DateTime', 'When it ends: now.'),
    previousFrom: t.member(
      'previousFrom',
      'DateTime',
      'When the time before begins, which is as long; what is compared.',
    ),
    bucketMinutes: t.member('bucketMinutes', 'NonNegativeInt', 'Minutes of a bucket.'),
    buckets: t.member(
      'buckets',
      [OverviewBucketRef],
      'The attempts by bucket, channel and status, oldest first; empty ones are left out.',
    ),
    totals: t.member('totals', OverviewTotalsRef, 'The attempts of the time.'),
    previousTotals: t.member('previousTotals', OverviewTotalsRef, 'The attempts of the time before.'),
    latencies: t.member('latencies', [OverviewLatencyRef], 'How fast the providers were.'),
    routes: t.field({
      type: [OverviewRouteRef],
      // The field reads attempts one by one, not their counts.
      complexity: 20,
      description: `What went by each connection to each country, the most first, at most 30: of the newest ${ROUTES_NEWEST.toLocaleString('en')} attempts of the time.`,
      resolve: (shown, _args, ctx) => routeFigures(ctx, shown),
    }),
    otps: t.member('otps', OverviewOtpsRef, 'Passcodes of the time.'),
    previousOtps: t.member('previousOtps', OverviewOtpsRef, 'Passcodes of the time before.'),
    hasVerified: t.member('hasVerified', 'Boolean', 'Whether a passcode was ever verified, in the time or before it.'),
    failures: t.member('failures', [OverviewFailureRef], 'What failed, most first, at most 50.'),
    creditsLeft: t.member('creditsLeft', 'NonNegativeInt', 'Credits that can be spent now.'),
    creditsLastDays: t.nullable(
      'creditsLastDays',
      'Float',
      'Days that they last at the pace of the last 7 days, as `Balance.forecast` says; null: none were spent.',
    ),
    notices: t.member(
      'notices',
      [OverviewNoticeRef],
      'What needs a look: what holds now, and what the fraud guard did in the time. Newest first, at most 10.',
    ),
  }),
});

builder.queryField('overview', t =>
  t.field({
    type: OverviewRef,
    // The overview reads the figures of the time and of the one before.
    complexity: 50,
    description:
      'What the account sent in a time, beside the time before. It says what the log does, late receipts included. Tokens: unified, management.',
    policy: { opens: ['unified', 'management'], plan: 'tokens', isForServers: true },
    ...byArgs(overviewInput, overview),
  }),
);
