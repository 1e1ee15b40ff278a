/** The rows of the log: pages by cursor, and while live those that are told. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useReducer, useRef } from 'react';
import { ask } from '../../api/ask.ts';
import { keyOf, useFeed } from '../../api/hooks.ts';
import {
  LiveLogDocument,
  type LogFilter,
  LogPageDocument,
  type LogPageQuery,
  type LogRowFragment,
} from '../../api/operations.generated.ts';
import type { Failure } from '../../ui/failure.ts';
import { changeTold, fullnessOf, mergeRows, NOTHING_TOLD } from './told.ts';

/** How many rows are asked for at once. */
const PAGE_SIZE = 100;

/** How long told entries are gathered before they are drawn, in milliseconds. */
const GATHER_MS = 100;

/** The rows of a view of the log, and the state of their loading. */
export interface Log<Row> {
  readonly rows: readonly Row[];
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  readonly hasEnd: boolean;
  /** Whether older ones are being asked for. */
  readonly isLookingOn: boolean;
  /** Loads the next page, if there is one. */
  readonly more: () => void;
  readonly retry: () => void;
  /** How many were told while `isHeld`. */
  readonly waiting: number;
  /** Whether nothing is told at the moment, as the line broke. */
  readonly isLost: boolean;
  /** How many were not told, as they came too fast. */
  readonly leftOut: number;
  /** Asks for the newest page: the entries that were left out stand on it. */
  readonly askAnew: () => void;
}

/**
 * The entries that pass a filter, newest first. While `isLive`, told entries come before them; one that is told again (a receipt came)
 * replaces the older. While `isHeld`, new ones wait, so that nothing moves under the eyes of a reader.
 */
export function useLog(filter: LogFilter, isLive: boolean, isHeld: boolean): Log<LogRowFragment> {
  const key = useMemo(() => [...keyOf(LogPageDocument, {}), 'rows', filter], [filter]);
  const client = useQueryClient();
  const query = useInfiniteQuery<LogPageQuery, Failure, InfiniteData<LogPageQuery>, unknown[], string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(LogPageDocument, { filter, first: PAGE_SIZE, after: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: ({ logs }) => (logs.pageInfo.hasNextPage ? logs.pageInfo.endCursor : null),
    staleTime: 10_000,
    // A refetch would ask for every page anew.
    refetchOnWindowFocus: false,
  });
  const told = useTold(filter, isLive, isHeld, async () => {
    client.setQueryData<InfiniteData<LogPageQuery>>(key, data => data && firstPage(data));
    return (await query.refetch()).isSuccess;
  });
  const rows = useMemo(
    () => mergeRows(query.data?.pages.map(({ logs }) => logs.nodes) ?? [], told.shown),
    [query.data, told.shown],
  );
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  // A page that was refused is asked for again by `retry` alone.
  const hasMore = hasNextPage && !isFetchNextPageError;
  const more = useCallback(() => {
    if (hasMore && !isFetchingNextPage) void fetchNextPage();
  }, [hasMore, isFetchingNextPage, fetchNextPage]);
  return {
    rows,
    isLoading: query.isPending,
    failure: query.error ?? told.refused,
    hasEnd: query.isSuccess && !hasNextPage,
    isLookingOn: hasMore,
    more,
    retry: () => void client.invalidateQueries({ queryKey: key }),
    waiting: told.waiting,
    isLost: told.isLost,
    leftOut: told.leftOut,
    askAnew: told.renew,
  };
}

/** The entries told while live. `askAnew` asks for the newest page in their place, and answers whether it came. */
function useTold(filter: LogFilter, isLive: boolean, isHeld: boolean, askAnew: () => Promise<boolean>) {
  const [told, change] = useReducer(changeTold<LogRowFragment>, NOTHING_TOLD);
  const gathered = useRef(new Map<string, LogRowFragment>());
  const timer = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(() => {
    gathered.current.clear();
    change({ kind: 'begun' });
  }, [filter]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const draw = useEffectEvent((): void => {
    timer.current = null;
    const rows = [...gathered.current.values()];
    gathered.current.clear();
    change({ kind: 'told', rows, isHeld });
  });
  const { refused, isLost } = useFeed(
    LiveLogDocument,
    { filter },
    {
      renew: () => change({ kind: 'missed', isAsked: false }),
      tell: ({ logAdded }, dropped) => {
        change({ kind: 'leftOut', count: dropped });
        gathered.current.set(logAdded.id, logAdded);
        timer.current ??= window.setTimeout(draw, GATHER_MS);
      },
      isOn: isLive,
    },
  );
  useEffect(() => {
    if (!isHeld) change({ kind: 'released' });
  }, [isHeld]);
  const fullness = fullnessOf(told);
  const relieve = useEffectEvent(async (): Promise<void> => {
    const before = told.shown;
    if (await askAnew()) change({ kind: 'renewed', before });
  });
  useEffect(() => {
    if (fullness > 0) void relieve();
  }, [fullness]);
  // Nothing moves while somebody reads: the newest page is asked for after that.
  const { isStale } = told;
  useEffect(() => {
    if (isHeld || !isStale) return;
    change({ kind: 'asked' });
    void relieve();
  }, [isHeld, isStale]);
  const renew = (): void => change({ kind: 'missed', isAsked: true });
  return {
    shown: told.shown,
    refused,
    isLost: isLive && isLost,
    waiting: told.held.size,
    leftOut: told.leftOut,
    renew,
  };
}

function firstPage({ pages, pageParams }: InfiniteData<LogPageQuery>): InfiniteData<LogPageQuery> {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}
