/** The rows of a view of the log, by pages. */
import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { ask, type Operation } from '../../api/ask.ts';
import { keyOf } from '../../api/hooks.ts';
import type { LogFilter, LogPageQueryVariables } from '../../api/operations.generated.ts';
import { cursorAfter, type PageOf } from '../../api/pages.ts';
import type { Failure } from '../../ui/failure.ts';

/** How many rows are asked for at once. */
const PAGE_SIZE = 100;

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
 * The pages that pass a filter, the newest first, and the state of their loading. `askNewest` asks for the first in place of all, and answers
 * whether it came. `pick` finds the list in the answer, and is the same each time.
 */
export function useLogPages<Answer, Row>(
  operation: Operation<Answer, LogPageQueryVariables>,
  filter: LogFilter,
  pick: (answer: Answer) => PageOf<Row>,
) {
  const key = useMemo(() => [...keyOf(operation), 'rows', filter], [operation, filter]);
  const client = useQueryClient();
  const query = useInfiniteQuery<Answer, Failure, InfiniteData<Answer>, unknown[], string | null>({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => ask(operation, { filter, first: PAGE_SIZE, after: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: answer => cursorAfter(pick(answer)),
    staleTime: 10_000,
    // A refetch would ask for every page anew.
    refetchOnWindowFocus: false,
  });
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, refetch } = query;
  const askNewest = useCallback(async () => {
    client.setQueryData<InfiniteData<Answer>>(
      key,
      all => all && { pages: all.pages.slice(0, 1), pageParams: all.pageParams.slice(0, 1) },
    );
    return (await refetch()).isSuccess;
  }, [client, key, refetch]);
  // A page that was refused is asked for again by `retry` alone.
  const hasMore = hasNextPage && !isFetchNextPageError;
  const more = useCallback(() => {
    // A refetch under way would be cancelled, and its newest page lost.
    if (hasMore && !isFetching) void fetchNextPage();
  }, [hasMore, isFetching, fetchNextPage]);
  return {
    pages: useMemo(() => (data?.pages ?? []).map(answer => pick(answer).nodes), [data, pick]),
    state: {
      isLoading: query.isPending,
      failure: query.error,
      hasEnd: query.isSuccess && !hasNextPage,
      isLookingOn: hasMore,
      more,
      retry: () => void client.invalidateQueries({ queryKey: key }),
    },
    askNewest,
  };
}
