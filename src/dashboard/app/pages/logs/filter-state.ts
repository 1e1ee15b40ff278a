/** The filter of the logs page: all of it stands in the URL, so that a link shows what its sender saw. */
import { useMemo } from 'react';
import type { Channel, LogFilter, LogStatus, LogType } from '../../api/operations.generated.ts';
import { type ChangeUrl, useUrlState } from '../../ui/url-state.ts';

/** The spans that one can choose by a click, in milliseconds. */
export const SPANS = {
  '15m': { name: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { name: 'Last hour', ms: 3_600_000 },
  '24h': { name: 'Last 24 hours', ms: 86_400_000 },
  '7d': { name: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { name: 'Last 30 days', ms: 30 * 86_400_000 },
} as const;

/** The name of a span in the URL. */
export type Span = keyof typeof SPANS;

/** What can be filtered by, with its words; absent words: any text. */
export const FIELDS = {
  status: {
    name: 'status',
    words: ['PENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED', 'UNKNOWN', 'VERIFIED', 'BLOCKED'],
  },
  channel: { name: 'channel', words: ['CHAT_QR', 'CHAT_CLOUD', 'SMS'] },
  type: {
    name: 'type',
    words: [
      // Of a message or of a passcode.
      'ATTEMPT',
      'MESSAGE_ATTEMPT',
      'OTP_ATTEMPT',
      'OTP_VERIFIED',
      'OTP_INCORRECT',
      'OTP_EXPIRED',
      'OTP_BLOCKED',
      'OTP_FLAGGED',
    ],
  },
  errorCode: { name: 'error code', example: 'recipient_refused' },
  recipient: { name: 'recipient', example: '+12025550100' },
  sender: { name: 'sender', example: 'DEMO' },
  reference: { name: 'reference', example: 'order-1042' },
  messageId: { name: 'message id', example: 'msg_…' },
  pinId: { name: 'pin id', example: 'pin_…' },
} as const satisfies Record<string, { name: string; words?: readonly string[]; example?: string }>;

/** What `type: attempt` stands for. */
const ATTEMPT_TYPES: LogType[] = ['MESSAGE_ATTEMPT', 'OTP_ATTEMPT'];

/** The name of a field in the URL. */
export type Field = keyof typeof FIELDS;

/** The filter as the URL says it. */
export interface FilterState {
  readonly span: Span;
  /** A time that was chosen in the histogram; it goes before the span. */
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
  const span = params.get('span') ?? '';
  const values = Object.fromEntries(
    Object.entries(FIELDS).flatMap(([field, kind]) => {
      const given = params.get(field);
      // REST and the command line write words in lower case. What is none of them narrows nothing.
      const value = 'words' in kind ? kind.words.find(word => word === given?.toUpperCase()) : given;
      return value ? [[field, value]] : [];
    }),
  );
  return {
    span: span in SPANS ? (span as Span) : '24h',
    from: params.get('from'),
    to: params.get('to'),
    values,
    isLive: params.get('live') === '1' && !hasChosenTime({ from: params.get('from'), to: params.get('to') }),
    open: params.get('open'),
  };
}

/** Whether a time with an end was chosen: what happens now is not in it. */
export function hasChosenTime({ from, to }: Pick<FilterState, 'from' | 'to'>): boolean {
  return from !== null && to !== null;
}

/** The filter as `logs` takes it. A span has no end: what comes later passes too. */
export function logFilterOf(state: FilterState, askedMs: number): LogFilter {
  const { status, channel, type, ...texts } = state.values;
  const { from, to } = timesOf(state, askedMs);
  return {
    ...texts,
    ...(status && { status: status as LogStatus }),
    ...(channel && { channel: channel as Channel }),
    ...(type && (type === 'ATTEMPT' ? { types: ATTEMPT_TYPES } : { type: type as LogType })),
    from,
    ...(hasChosenTime(state) && { to }),
  };
}

/** From when to when the page looks, as it was asked at a time in milliseconds. */
export function timesOf(
  { span, from, to }: Pick<FilterState, 'span' | 'from' | 'to'>,
  askedMs: number,
): { readonly from: string; readonly to: string } {
  if (from !== null && to !== null) return { from, to };
  return { from: new Date(askedMs - SPANS[span].ms).toISOString(), to: new Date(askedMs).toISOString() };
}
