/** The rows of the log: pages by cursor, and while live those that are told. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
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

/** How many told entries are kept before the newest page is asked for in their place: the page may be open all day. */
const TOLD_MAX = 1_000;

/** How long told entries are gathered before they are drawn, in milliseconds. */
const GATHER_MS = 100;

/** What the list shows. */
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
  /** Asks for the newest page in the place of what was left out. */
  readonly askAnew: () => void;
}

/**
 * The entries that pass a filter, newest first. While `isLive` what is told of is put before them, and an entry that is told again
 * (a receipt came) takes its place; while `isHeld` new ones wait, so that nothing moves under the eyes of who reads.
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
    // It would ask for every page anew.
    refetchOnWindowFocus: false,
  });
  const told = useTold(filter, isLive, isHeld, async () => {
    client.setQueryData<InfiniteData<LogPageQuery>>(key, data => data && firstPage(data));
    return (await query.refetch()).isSuccess;
  });
  const rows = useMemo(() => merged(query.data?.pages ?? [], told.entries), [query.data, told.entries]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return {
    rows,
    isLoading: query.isPending,
    failure: query.error ?? told.refused,
    hasEnd: query.isSuccess && !hasNextPage,
    isLookingOn: hasNextPage,
    more,
    retry: () => void client.invalidateQueries({ queryKey: key }),
    waiting: told.waiting,
    isLost: told.isLost,
    leftOut: told.leftOut,
    askAnew: told.renew,
  };
}

type Entries = ReadonlyMap<string, LogRowFragment>;

const NONE: Entries = new Map();

/** What is told while live. `askAnew` asks for the newest page, which then stands for it, and says whether it came. */
function useTold(filter: LogFilter, isLive: boolean, isHeld: boolean, askAnew: () => Promise<boolean>) {
  const [entries, setEntries] = useState(NONE);
  const [held, setHeld] = useState(NONE);
  const gathered = useRef(new Map<string, LogRowFragment>());
  const timer = useRef<number | null>(null);
  const [leftOut, setLeftOut] = useState(0);
  const drop = (): void => {
    gathered.current.clear();
    setLeftOut(0);
    setEntries(NONE);
    setHeld(NONE);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(drop, [filter]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const draw = useEffectEvent((): void => {
    timer.current = null;
    const news = [...gathered.current];
    gathered.current.clear();
    if (isHeld) setHeld(before => new Map([...before, ...news].slice(-2 * TOLD_MAX)));
    else setEntries(before => new Map([...before, ...news]));
  });
  // While it is read, nothing moves: the newest page is asked for when that is over.
  const [isStale, setStale] = useState(false);
  const { refused, isLost } = useFeed(
    LiveLogDocument,
    { filter },
    {
      renew: () => setStale(true),
      tell: ({ logAdded }, dropped) => {
        if (dropped > 0) setLeftOut(before => before + dropped);
        gathered.current.set(logAdded.id, logAdded);
        timer.current ??= window.setTimeout(draw, GATHER_MS);
      },
      isOn: isLive,
    },
  );
  useEffect(() => {
    if (isHeld || held.size === 0) return;
    setEntries(before => new Map([...before, ...held]));
    setHeld(NONE);
  }, [isHeld, held]);
  // Counted in steps: where the newest page did not come, it is asked for again when as many more were told.
  const fullness = Math.floor(entries.size / TOLD_MAX);
  const relieve = useEffectEvent(async (): Promise<void> => {
    const before = entries;
    if (await askAnew()) setEntries(now => new Map([...now].filter(([id, row]) => before.get(id) !== row)));
  });
  useEffect(() => {
    if (fullness > 0) void relieve();
  }, [fullness]);
  useEffect(() => {
    if (isHeld || !isStale) return;
    setStale(false);
    void relieve();
  }, [isHeld, isStale]);
  const renew = (): void => {
    setLeftOut(0);
    setStale(true);
  };
  return { entries, refused, isLost: isLive && isLost, waiting: held.size, leftOut, renew };
}

function firstPage({ pages, pageParams }: InfiniteData<LogPageQuery>): InfiniteData<LogPageQuery> {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** Entries once each, newest first: as they were told last, if they were. */
function merged(pages: readonly LogPageQuery[], told: Entries): LogRowFragment[] {
  const rows = pages.flatMap(({ logs }) => logs.nodes.map(row => told.get(row.id) ?? row));
  const known = new Set(rows.map(({ id }) => id));
  const added = [...told.values()].filter(({ id }) => !known.has(id));
  if (added.length === 0) return rows;
  return [...added, ...rows].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt));
}
