/** The filter of the logs page: all of it stands in the URL, so that a link shows what its sender saw. */
import { useMemo } from 'react';
import { CHANNELS } from '../../../api/channels.generated.ts';
import type { Channel, LogFilter, LogStatus, LogType } from '../../../api/operations.generated.ts';
import { type ChangeUrl, useUrlState } from '../../../ui/url-state.ts';
import { type Span, spanNamed, timesOfSpan } from './spans.ts';

interface Kind {
  readonly name: string;
  /** The words to choose from; absent: any text. */
  readonly words?: readonly string[];
  /** Whether several can, separated by commas. */
  readonly isList?: true;
  readonly example?: string;
}

/** The statuses but that of what came in, which its type says. One that is missing does not compile. */
const STATUSES: Readonly<Record<Exclude<LogStatus, 'RECEIVED'>, true>> = {
  PENDING: true,
  SENT: true,
  DELIVERED: true,
  READ: true,
  FAILED: true,
  EXPIRED: true,
  UNKNOWN: true,
  VERIFIED: true,
  BLOCKED: true,
};

/** The types, as the statuses are. */
const TYPES: Readonly<Record<LogType, true>> = {
  MESSAGE_ATTEMPT: true,
  OTP_ATTEMPT: true,
  OTP_VERIFIED: true,
  OTP_INCORRECT: true,
  OTP_EXPIRED: true,
  OTP_BLOCKED: true,
  OTP_FLAGGED: true,
  INBOUND: true,
};

/** The fields of the filter. */
export const FIELDS = {
  status: {
    name: 'status',
    words: Object.keys(STATUSES),
    isList: true,
  },
  channel: { name: 'channel', words: CHANNELS },
  type: {
    name: 'type',
    // An attempt of a message or of a passcode first.
    words: ['ATTEMPT', ...Object.keys(TYPES)],
  },
  errorCode: { name: 'error code', example: 'recipient_refused', isList: true },
  provider: { name: 'provider', example: 'smpp' },
  connection: { name: 'connection', example: 'con_…' },
  country: { name: 'country', example: 'DE or Germany' },
  recipient: { name: 'recipient', example: '+12025550100' },
  sender: { name: 'sender', example: 'DEMO' },
  reference: { name: 'reference', example: 'order-1042' },
  attemptId: { name: 'attempt id', example: 'att_…' },
  messageId: { name: 'message id', example: 'msg_…' },
  pinId: { name: 'pin id', example: 'pin_…' },
} as const satisfies Record<string, Kind>;

/** The types that `ATTEMPT` stands for. */
export const ATTEMPT_TYPES: LogType[] = ['MESSAGE_ATTEMPT', 'OTP_ATTEMPT'];

/** The name of a field in the URL. */
export type Field = keyof typeof FIELDS;

/** A field, whichever it is. */
export function kindOf(field: Field): Kind {
  return FIELDS[field];
}

/** The views: a row for each send, or for each attempt. */
export const VIEWS = {
  messages: { name: 'Messages', about: 'Every message and every passcode, with what became of it.' },
  attempts: { name: 'Attempts', about: 'Every attempt to reach a phone, and what became of every passcode.' },
} as const;

/** A view by its name in the URL. */
export type View = keyof typeof VIEWS;

/** The filter as the URL says it. */
export interface FilterState {
  readonly view: View;
  readonly span: Span;
  /** A time that was typed, or chosen in the histogram; it goes before the span. */
  readonly from: string | null;
  readonly to: string | null;
  readonly values: Readonly<Partial<Record<Field, string>>>;
  readonly isLive: boolean;
  /** The message or the passcode whose story is open. */
  readonly open: string | null;
}

/** Reads the filter from the URL, and writes what changes of it. */
export function useFilter(): [FilterState, ChangeUrl] {
  const [params, change] = useUrlState('open');
  return [useMemo(() => readFilter(params), [params]), change];
}

function readFilter(params: URLSearchParams): FilterState {
  const values = Object.fromEntries(
    (Object.keys(FIELDS) as Field[]).flatMap(field => {
      const value = knownValue(kindOf(field), params.get(field));
      return value ? [[field, value]] : [];
    }),
  );
  const time = { span: spanNamed(params.get('span')), ...chosenTime(params.get('from'), params.get('to')) };
  return {
    ...time,
    values,
    view: params.get('view') === 'attempts' ? 'attempts' : 'messages',
    isLive: params.get('live') === '1' && !hasEnd(time),
    open: params.get('open'),
  };
}

/** Times that no browser wrote choose nothing. */
function chosenTime(from: string | null, to: string | null): Pick<FilterState, 'from' | 'to'> {
  const areTimes = [from, to].every(time => !Number.isNaN(Date.parse(time ?? '')));
  return areTimes ? { from, to } : { from: null, to: null };
}

/** Words in capitals: REST and the command line write them in lower case. An unknown word narrows nothing. */
function knownValue({ words, isList }: Kind, given: string | null): string | null {
  if (!words || given === null) return given;
  const parts = isList ? listOf(given) : [given];
  return parts.flatMap(part => words.find(word => word === part.toUpperCase()) ?? []).join() || null;
}

/** The parts of a value that may have several. */
export function listOf(value: string): string[] {
  return value.split(',').flatMap(part => part.trim() || []);
}

type Time = Pick<FilterState, 'span' | 'from' | 'to'>;

/** Whether a time was typed, or chosen in the histogram. */
export function hasChosenTime({ from, to }: Pick<Time, 'from' | 'to'>): boolean {
  return from !== null && to !== null;
}

/** Whether the time has an end: what happens now is not in it. */
export function hasEnd(time: Time): boolean {
  return hasChosenTime(time) || timesOfSpan(time.span, Date.now()).to !== null;
}

/** The filter as `logs` takes it. A span up to now has no end: what comes later passes too. */
export function logFilterOf(state: FilterState, askedMs: number): LogFilter {
  const { status, channel, type, errorCode, connection, ...texts } = state.values;
  const { from, to } = timesOf(state, askedMs);
  const codes = listOf(errorCode ?? '');
  return {
    ...texts,
    ...(status && { statuses: listOf(status) as LogStatus[] }),
    ...(channel && { channel: channel as Channel }),
    ...(type && (type === 'ATTEMPT' ? { types: ATTEMPT_TYPES } : { type: type as LogType })),
    ...(codes.length > 1 ? { errorCodes: codes } : codes[0] && { errorCode: codes[0] }),
    ...(connection && { connectionId: connection }),
    from,
    ...(hasEnd(state) && { to }),
  };
}

/** From when to when the page looks, as it was asked at a time in milliseconds. */
export function timesOf({ span, from, to }: Time, askedMs: number): { readonly from: string; readonly to: string } {
  if (from !== null && to !== null) return { from, to };
  const times = timesOfSpan(span, askedMs);
  return { from: times.from.toISOString(), to: (times.to ?? new Date(askedMs)).toISOString() };
}
