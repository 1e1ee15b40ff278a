/** The timeline of a send: everything that is stored of it, as a story. Pure. */
import type { PassedOver } from '../../channels/providers.ts';
import { SANDBOX_ID } from '../../channels/sandbox/provider.ts';
import { isMagic } from '../../channels/sandbox/recipients.ts';
import { type Channel, channelName, type DeliveryMode } from '../../kernel/channel.ts';
import { toUuid } from '../../kernel/ids.ts';
import type { LogStatus, Status, SuccessStatus } from '../../kernel/status.ts';
import { type Attempt, type ChannelAttempt, isChannelAttempt } from '../routing/attempt.entity.ts';
import { awaitedStatus } from '../routing/follow-ups/fallback.policy.ts';
import type { TimelineEntry, TimelineWebhook } from './timeline-entry.ts';
import { CHOSEN_THOUGH, OUTCOMES, REPORTS, WHY } from './timeline-words.ts';

interface TimelineFacts {
  readonly send: {
    readonly createdAt: Date;
    readonly channels: readonly Channel[];
    readonly deliveryMode: DeliveryMode;
    /** Null: the routing is over. */
    readonly leaseUntil?: Date | null | undefined;
    readonly fallbackAfter?: number | null | undefined;
    readonly successStatus?: SuccessStatus | null | undefined;
  };
  /** The time that its accepted channel has left; null: none runs. */
  readonly wait: TimelineWait | null;
  /** Its attempts, those under way too, and what became of its codes. */
  readonly attempts: readonly Attempt[];
  /** Names of connections, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly webhooks: readonly TimelineWebhook[];
}

/** The time that runs for an accepted attempt, before the next channel follows. */
export interface TimelineWait {
  /** The uuid of the attempt. */
  readonly attemptId: string;
  readonly wanted: SuccessStatus;
  /** Until the next channel follows, by the database's clock. */
  readonly secondsLeft: number;
}

type Told = Omit<TimelineEntry, 'sinceMs' | 'skipped'> & Partial<TimelineEntry>;

/** The timeline, oldest first. */
export function timelineOf(facts: TimelineFacts): TimelineEntry[] {
  const { send, attempts, webhooks } = facts;
  const made = attempts.filter(isChannelAttempt).sort((a, b) => +a.startedAt - +b.startedAt || (a.id < b.id ? -1 : 1));
  // The database's clock says when a passcode was made, and the gateway's when a provider was asked: who is asked was accepted before.
  const begunAt = new Date(Math.min(+send.createdAt, ...made.map(({ startedAt }) => +startedAt)));
  const told: Told[] = [
    acceptedEntry(facts, begunAt),
    ...made.flatMap((attempt, index) => attemptEntries(facts, attempt, made.slice(0, index))),
    ...waitingEntry(facts, made),
    ...skippedChannels(facts, made),
    ...attempts.flatMap(outcomeEntry),
    ...webhooks.map(webhookEntry),
  ];
  return (
    told
      .map(entry => ({ skipped: [], ...entry, sinceMs: Math.max(0, +entry.at - +begunAt) }))
      // Entries of one time keep their order: an attempt and its end come before the next attempt.
      .sort((a, b) => a.sinceMs - b.sinceMs)
  );
}

function acceptedEntry({ send: { channels, deliveryMode } }: TimelineFacts, at: Date): Told {
  const names = channels.map(channelName);
  const way = deliveryMode === 'all' ? `${names.join(' and ')}, all at once` : names.join(', then ');
  return { at, kind: 'accepted', reason: `Accepted, to go over ${way}.` };
}

function attemptEntries(facts: TimelineFacts, attempt: ChannelAttempt, before: readonly ChannelAttempt[]): Told[] {
  const { channel, provider, sender, id: attemptId, connectionId } = attempt;
  const same = { channel, provider, sender, attemptId, connectionId };
  const isResent = (attempt.resend ?? 0) > 0 && !before.some(({ resend }) => resend === attempt.resend);
  const resent: Told = { at: attempt.startedAt, kind: 'resent', reason: 'It was asked for once more.' };
  const skipped = (attempt.passedOver ?? []).map(({ connectionId: id, verdict, reason = null }) => ({
    connectionId: id,
    name: nameOf(facts, id),
    verdict,
    reason,
  }));
  const started: Told = {
    ...same,
    at: attempt.startedAt,
    kind: 'attempt_started',
    reason: whyChosen(facts, attempt, before),
    skipped,
    segments: attempt.segments,
  };
  return [...(isResent ? [resent] : []), started, ...endEntries(attempt, same), ...receiptEntries(attempt, same)];
}

/** Why this attempt was made, and by this connection. */
function whyChosen(facts: TimelineFacts, attempt: ChannelAttempt, before: readonly ChannelAttempt[]): string {
  const { channel, provider, connectionId, passedOver, resend } = attempt;
  const ofSend = before.filter(one => one.resend === resend);
  const last = ofSend.at(-1);
  const after = ofSend.findLast(one => one.channel === channel);
  if (after)
    return `${nameOf(facts, after.connectionId)} could not send it; the next connection of the channel follows.`;
  const turn =
    facts.send.deliveryMode === 'fallback' && last
      ? `${whyFollowed(facts, last, attempt)}, so ${channelName(channel)} follows. `
      : '';
  const others = (passedOver ?? []).filter(passed => passed.connectionId !== connectionId);
  const named = others.map(passed => `${nameOf(facts, passed.connectionId)} (${whySkipped(passed)})`).join(', ');
  if (provider === null) return `${turn}No provider was asked${named === '' ? '' : `; passed over: ${named}`}.`;
  if (connectionId == null)
    return `${turn}${provider === SANDBOX_ID ? sandboxReason(attempt) : `${provider} takes it.`}`;
  const own = passedOver?.find(passed => passed.connectionId === connectionId);
  const chosen = (own && CHOSEN_THOUGH[own.verdict]) ?? 'chosen: first by priority, and healthy';
  const sick = own?.reason ? ` ${own.reason}` : '';
  return `${turn}${nameOf(facts, connectionId)} was ${chosen}${named === '' ? '' : `; passed over: ${named}`}.${sick}`;
}

/** Why a connection was passed over, behind its name. */
function whySkipped({ verdict, reason }: PassedOver): string {
  return reason ? `${WHY[verdict]}: ${reason.replace(/\.$/, '')}` : WHY[verdict];
}

/** Why the next channel followed an attempt. */
function whyFollowed({ send }: TimelineFacts, last: ChannelAttempt, { startedAt }: ChannelAttempt): string {
  const name = channelName(last.channel);
  if (endStatusOf(last) === 'unknown') return `${name} may have it, but its answer never came`;
  if (endStatusOf(last) !== 'sent' || send.fallbackAfter == null) return `${name} did not take it`;
  // Each process has a clock of its own.
  const hadItsTime = +startedAt - +(last.finishedAt ?? last.startedAt) >= (send.fallbackAfter - 1) * 1_000;
  if (!hadItsTime && (last.status === 'failed' || last.status === 'expired'))
    return `${name} had accepted it and could not deliver it`;
  const wanted = awaitedStatus(last.channel, send.successStatus ?? 'delivered', true);
  return `${name} had accepted it, but it was not ${wanted} after ${send.fallbackAfter} s`;
}

/** The sandbox answers for its test numbers whatever is connected, and for others only where nothing is. */
function sandboxReason({ recipient }: ChannelAttempt): string {
  return `The sandbox takes it: ${isMagic(recipient) ? 'the number is one of its test numbers' : 'the account had no connection'}.`;
}

function nameOf({ names }: TimelineFacts, connectionId: string | null | undefined): string {
  return connectionId == null ? 'The sandbox' : (names.get(connectionId) ?? connectionId);
}

/** How the attempt ended by what the provider answered, before any receipt. */
function endEntries(attempt: ChannelAttempt, same: Partial<Told>): Told[] {
  const { startedAt, finishedAt, segments, credits } = attempt;
  if (!finishedAt) return [];
  const status = endStatusOf(attempt);
  // A receipt that changed the status has replaced the error too: its own is told with the receipt.
  const hasError = status === attempt.status && status !== 'sent';
  return [
    {
      ...same,
      at: finishedAt,
      kind: 'attempt_ended',
      status,
      reason: whyEnded(attempt, status, hasError),
      errorCode: hasError ? attempt.errorCode : null,
      errorMessage: hasError ? attempt.errorMessage : null,
      providerMessageId: attempt.providerMessageId,
      durationMs: Math.max(0, +finishedAt - +startedAt),
      segments,
      credits,
    },
  ];
}

function endStatusOf(attempt: ChannelAttempt): Status {
  if (attempt.endedAs) return attempt.endedAs;
  return attempt.reportedAt ? 'sent' : attempt.status;
}

function whyEnded({ provider, errorMessage }: ChannelAttempt, status: Status, hasError: boolean): string {
  if (status === 'sent') return 'The provider accepted it.';
  if (hasError && errorMessage) return errorMessage;
  if (status === 'unknown') return 'The provider may have it: its answer never came.';
  return provider === null ? 'No provider was asked.' : 'The provider did not take it.';
}

function receiptEntries(attempt: ChannelAttempt, same: Partial<Told>): Told[] {
  const { status, reportedAt, deliveredAt, finishedAt } = attempt;
  if (!reportedAt) return [];
  const report = (at: Date, reported: LogStatus): Told => ({
    ...same,
    at,
    kind: 'receipt',
    status: reported,
    reason: REPORTS[reported] ?? 'The provider reports that it has it.',
    providerMessageId: attempt.providerMessageId,
    durationMs: finishedAt ? Math.max(0, +at - +finishedAt) : null,
  });
  const { errorCode, errorMessage, credits } = attempt;
  const newest = report(reportedAt, status);
  const last = { ...newest, reason: `${newest.reason}${priceIn(attempt)}`, errorCode, errorMessage, credits };
  return [...(deliveredAt ? [report(deliveredAt, 'delivered')] : []), last];
}

/** The provider's words on the price, as a sentence behind another one; empty: none. */
function priceIn({ pricing }: ChannelAttempt): string {
  const { category, type, billable } = pricing ?? {};
  const words = [category, type].filter(word => typeof word === 'string').map(word => word.replaceAll('_', ' '));
  if (words.length === 0) return '';
  return ` Its price there: ${words.join(', ')}${billable === false ? ', not billed' : ''}.`;
}

function waitingEntry({ send, wait }: TimelineFacts, made: readonly ChannelAttempt[]): Told[] {
  const accepted = wait && made.find(({ id }) => toUuid(id) === wait.attemptId);
  const next = accepted && send.channels[send.channels.indexOf(accepted.channel) + 1];
  if (!next) return [];
  const seconds = Math.ceil(wait.secondsLeft);
  const reason =
    seconds > 0
      ? `${channelName(next)} follows in ${seconds} s unless it is ${wait.wanted}.`
      : `${channelName(next)} follows now.`;
  const { channel, id: attemptId, finishedAt, startedAt } = accepted;
  return [{ at: finishedAt ?? startedAt, kind: 'waiting', channel, attemptId, reason }];
}

/** The channels of a routing that is over for which nobody was asked. */
function skippedChannels({ send, wait }: TimelineFacts, made: readonly ChannelAttempt[]): Told[] {
  if (send.leaseUntil || wait) return [];
  const ends = made.map(({ finishedAt, startedAt }) => finishedAt ?? startedAt);
  const at = ends.reduce((latest, end) => (end > latest ? end : latest), send.createdAt);
  const taker = made.find(attempt => endStatusOf(attempt) === 'sent');
  const reason = taker
    ? `Not needed: ${channelName(taker.channel)} had taken it.`
    : 'Not tried: the routing ended before its turn came.';
  return send.channels
    .filter(channel => !made.some(attempt => attempt.channel === channel))
    .map(channel => ({ at, kind: 'channel_skipped', channel, reason }));
}

function outcomeEntry(attempt: Attempt): Told[] {
  const outcome = OUTCOMES[attempt.type];
  if (!outcome) return [];
  const [kind, reason] = outcome;
  const { status, errorCode, errorMessage, channel, finishedAt, startedAt } = attempt;
  return [{ at: finishedAt ?? startedAt, kind, reason, status, channel, errorCode, errorMessage }];
}

function webhookEntry(webhook: TimelineWebhook): Told {
  const { at, event, urlHost, status, httpStatus, error, durationMs } = webhook;
  const answered = httpStatus === null ? (error ?? 'is on its way') : `answered ${httpStatus}`;
  const ends =
    status === 'dead' ? '; it was given up' : status === 'pending' && durationMs !== null ? '; it is tried again' : '';
  return { at, kind: 'webhook', reason: `${event} to ${urlHost}: ${answered}${ends}.`, durationMs, webhook };
}
