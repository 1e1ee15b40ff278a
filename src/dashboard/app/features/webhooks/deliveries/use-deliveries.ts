/** The deliveries of an endpoint: pages by cursor, asked anew as soon as a try is told of. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { ask } from '../../../api/ask.ts';
import { keyOf, useFeed } from '../../../api/hooks.ts';
import {
  WebhookDeliveriesDocument,
  type WebhookDeliveriesQuery,
  WebhookDeliveryDocument,
  type WebhookDeliveryFilter,
  type WebhookDeliveryRowFragment,
  WebhookEndpointDocument,
  WebhookTriesDocument,
} from '../../../api/operations.generated.ts';
import { cursorAfter } from '../../../api/pages.ts';
import type { Failure } from '../../../ui/failure.ts';
import type { Rows } from '../../../ui/lists/more.tsx';

/** How many rows are asked for at once. */
const PAGE_SIZE = 50;

/** How long told tries are gathered before the list is asked anew, in milliseconds. */
const GATHER_MS = 500;

/** How often the list is asked anew, in milliseconds: the feed tells of tries alone, and of none before it began. */
export const LOOK_MS = 10_000;

/** The deliveries, and the state of their loading. */
export interface DeliveryList extends Rows<WebhookDeliveryRowFragment> {
  readonly rows: readonly WebhookDeliveryRowFragment[];
  readonly isLoading: boolean;
}

/** The deliveries that pass a filter, newest first; while `isLive` as they are tried. */
export function useDeliveries(endpointId: string, filter: WebhookDeliveryFilter, isLive: boolean): DeliveryList {
  const client = useQueryClient();
  const query = useInfiniteQuery<
    WebhookDeliveriesQuery,
    Failure,
    InfiniteData<WebhookDeliveriesQuery>,
    unknown[],
    string | null
  >({
    queryKey: [...keyOf(WebhookDeliveriesDocument), endpointId, filter],
    queryFn: ({ pageParam, signal }) =>
      ask(WebhookDeliveriesDocument, { endpointId, filter, first: PAGE_SIZE, after: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: ({ webhookDeliveries }) => cursorAfter(webhookDeliveries),
    // All pages are asked anew: the longer the list, the less often.
    refetchInterval: ({ state }) => isLive && LOOK_MS * pagesOf(state.data),
    refetchOnWindowFocus: false,
  });
  const timer = useRef<number | null>(null);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const askAnew = (): void => {
    timer.current = null;
    const stale = [keyOf(WebhookDeliveriesDocument), keyOf(WebhookDeliveryDocument), keyOf(WebhookEndpointDocument)];
    for (const queryKey of stale) void client.invalidateQueries({ queryKey });
  };
  const { refused } = useFeed(
    WebhookTriesDocument,
    { endpointId },
    {
      renew: () => {
        timer.current ??= window.setTimeout(askAnew, GATHER_MS * pagesOf(query.data));
      },
      isOn: isLive,
    },
  );
  const rows = useMemo(() => (query.data?.pages ?? []).flatMap(page => page.webhookDeliveries.nodes), [query.data]);
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    // A refetch under way would be cancelled.
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return {
    rows,
    isLoading: query.isPending,
    isLoadingMore: isFetchingNextPage,
    failure: query.error ?? refused,
    hasMore: hasNextPage,
    more,
    retry: () => void query.refetch(),
  };
}

function pagesOf(data: InfiniteData<WebhookDeliveriesQuery> | undefined): number {
  return Math.max(1, data?.pages.length ?? 0);
}
