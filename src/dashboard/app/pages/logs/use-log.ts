/** The rows of the log: pages by cursor, and while live those that are told. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { ask, type Failure } from '../../api/ask.ts';
import { keyOf, useFeed } from '../../api/hooks.ts';
import {
  LiveLogDocument,
  type LogFilter,
  LogPageDocument,
  type LogPageQuery,
  type LogRowFragment,
} from '../../api/operations.generated.ts';

/** How many rows are asked for at once. */
const PAGE_SIZE = 100;

/** What the list shows. */
export interface Log {
  readonly rows: readonly LogRowFragment[];
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  readonly hasEnd: boolean;
  /** Loads the next page, if there is one. */
  readonly more: () => void;
  readonly retry: () => void;
  /** How many were told while `isHeld`. */
  readonly waiting: number;
}

/**
 * The entries that pass a filter, newest first. While `isLive` what is told of is put before them, and an entry that is told again
 * (a receipt came) takes its place; while `isHeld` new ones wait, so that nothing moves under the eyes of who reads.
 */
export function useLog(filter: LogFilter, isLive: boolean, isHeld: boolean): Log {
  const key = useMemo(() => [...keyOf(LogPageDocument, {}), 'rows', filter], [filter]);
  const client = useQueryClient();
  const query = useInfiniteQuery<LogPageQuery, Failure, InfiniteData<LogPageQuery>, unknown[], string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(LogPageDocument, { filter, first: PAGE_SIZE, after: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: ({ logs }) => (logs.pageInfo.hasNextPage ? logs.pageInfo.endCursor : null),
    staleTime: 10_000,
  });
  const [told, setTold] = useState<ReadonlyMap<string, LogRowFragment>>(new Map());
  const [held, setHeld] = useState<ReadonlyMap<string, LogRowFragment>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(() => {
    setTold(new Map());
    setHeld(new Map());
  }, [key]);
  const { to: _, ...unending } = filter;
  const refused = useFeed(
    LiveLogDocument,
    { filter: unending },
    ({ logAdded }) => (isHeld ? setHeld : setTold)(before => new Map(before).set(logAdded.id, logAdded)),
    isLive,
  );
  useEffect(() => {
    if (isHeld || held.size === 0) return;
    setTold(before => new Map([...before, ...held]));
    setHeld(new Map());
  }, [isHeld, held]);
  const rows = useMemo(() => merged(query.data?.pages ?? [], told), [query.data, told]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return {
    rows,
    isLoading: query.isPending,
    failure: query.error ?? refused,
    hasEnd: query.isSuccess && !hasNextPage,
    more,
    retry: () => void client.invalidateQueries({ queryKey: key }),
    waiting: held.size,
  };
}

/** Entries once each, newest first: as they were told last, if they were. */
function merged(pages: readonly LogPageQuery[], told: ReadonlyMap<string, LogRowFragment>): LogRowFragment[] {
  const rows = pages.flatMap(({ logs }) => logs.nodes.map(row => told.get(row.id) ?? row));
  const known = new Set(rows.map(({ id }) => id));
  const added = [...told.values()].filter(({ id }) => !known.has(id));
  if (added.length === 0) return rows;
  return [...added, ...rows].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}
