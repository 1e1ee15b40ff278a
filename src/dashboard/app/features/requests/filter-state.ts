/** The filter of the requests page and the one that is open: all of it stands in the URL. */
import { useMemo } from 'react';
import type { RequestFilter } from '../../api/operations.generated.ts';
import { type ChangeUrl, useUrlState } from '../../ui/url-state.ts';

/** The filter as the URL says it; empty texts narrow nothing. */
export interface FilterState {
  /** `403` or `4xx`. */
  readonly status: string;
  readonly code: string;
  readonly tokenId: string;
  /** A path, which begins with a slash, or the name of an operation. */
  readonly what: string;
  readonly requestId: string;
  readonly span: string | null;
  readonly strangers: boolean;
  /** The request whose details are shown. */
  readonly open: string | null;
}

/** Reads the filter from the URL, and writes what changes of it. */
export function useRequestFilter(): [FilterState, ChangeUrl] {
  const [params, change] = useUrlState('open');
  return [useMemo(() => readState(params), [params]), change];
}

function readState(params: URLSearchParams): FilterState {
  const text = (name: string): string => params.get(name) ?? '';
  return {
    status: text('status').toLowerCase(),
    code: text('code'),
    tokenId: text('tokenId'),
    what: text('what'),
    requestId: text('requestId'),
    span: params.get('span'),
    strangers: params.get('strangers') === '1',
    open: params.get('open'),
  };
}

/** Whether a text is a status, or a class of them. */
export function isStatus(text: string): boolean {
  return /^[1-5](\d\d|xx)$/i.test(text);
}

/** The filter as the gateway takes it. */
export function requestFilterOf(state: FilterState, from: string | null): RequestFilter {
  const { status, code, tokenId, what, requestId, strangers } = state;
  return {
    ...(isStatus(status) && { status }),
    ...(code && { code }),
    ...(tokenId && { tokenId }),
    ...(what && (what.startsWith('/') ? { path: what } : { operation: what })),
    ...(requestId && { requestId }),
    ...(strangers && { strangers }),
    ...(from && { from }),
  };
}
