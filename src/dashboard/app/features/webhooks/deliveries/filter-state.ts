/** The filter of deliveries and the one that is open: all of it stands in the URL. */
import { useMemo } from 'react';
import type { WebhookDeliveryFilter, WebhookDeliveryStatus } from '../../../api/operations.generated.ts';
import { type ChangeUrl, useUrlState } from '../../../ui/url-state.ts';

/** The spans that can be chosen, in milliseconds; `all` has no bound. */
export const SPANS = {
  all: { name: 'All time', ms: null },
  '1h': { name: 'Last hour', ms: 3_600_000 },
  '24h': { name: 'Last 24 hours', ms: 86_400_000 },
  '7d': { name: 'Last 7 days', ms: 7 * 86_400_000 },
} as const;

/** The name of a span in the URL. */
export type Span = keyof typeof SPANS;

/** The statuses of a delivery. */
export const STATUSES: readonly WebhookDeliveryStatus[] = ['PENDING', 'DELIVERED', 'DEAD'];

/** The filter as the URL says it. */
export interface FilterState {
  readonly status: WebhookDeliveryStatus | null;
  readonly event: string | null;
  readonly http: string;
  readonly span: Span;
  readonly isLive: boolean;
  /** The delivery that is open. */
  readonly open: string | null;
}

/** Reads the filter from the URL, and writes what changes of it. */
export function useDeliveryFilter(): [FilterState, ChangeUrl] {
  const [params, change] = useUrlState('delivery');
  return [useMemo(() => readState(params), [params]), change];
}

function readState(params: URLSearchParams): FilterState {
  const span = params.get('span') ?? '';
  return {
    status: STATUSES.find(word => word === params.get('status')) ?? null,
    event: params.get('event'),
    http: params.get('http') ?? '',
    span: span in SPANS ? (span as Span) : 'all',
    isLive: params.get('live') !== '0',
    open: params.get('delivery'),
  };
}

/** Whether the filter leaves anything out. */
export function narrows({ status, event, http, span }: FilterState): boolean {
  return status !== null || event !== null || http !== '' || span !== 'all';
}

/** The filter as the gateway takes it. */
export function deliveryFilterOf({ status, event, http, span }: FilterState, askedMs: number): WebhookDeliveryFilter {
  const { ms } = SPANS[span];
  return {
    ...(status && { status }),
    ...(event && { event }),
    ...(/^[1-5]\d\d$/.test(http) && { httpStatus: Number(http) }),
    ...(ms !== null && { from: new Date(askedMs - ms).toISOString() }),
  };
}
