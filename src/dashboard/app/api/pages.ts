/** Lists that go on by cursor. */
import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { Failure } from '../ui/failure.ts';
import type { Rows } from '../ui/lists/more.tsx';
import { ask, type Operation } from './ask.ts';
import { keyOf } from './hooks.ts';

/** A page of rows, and where it stands. */
export interface PageOf<Row> {
  readonly nodes: readonly Row[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** The cursor of the page after this one; null: there is none. */
export function cursorAfter({ pageInfo: { hasNextPage, endCursor } }: PageOf<unknown>): string | null {
  return hasNextPage ? (endCursor ?? null) : null;
}

/**
 * All pages of a list up to the one that was asked for last. `pick` finds the list in the answer. @param refetchInterval asks anew after so many
 * milliseconds, while the first page is the only one; absent: never
 */
export function usePages<Answer, Variables, Row>(
  operation: Operation<Answer, Variables>,
  variables: Omit<Variables, 'after'>,
  pick: (answer: Answer) => PageOf<Row>,
  refetchInterval?: number,
): Rows<Row> {
  const query = useInfiniteQuery<Answer, Failure, InfiniteData<Answer>, unknown[], string | null>({
    queryKey: [...keyOf(operation), 'pages', variables],
    queryFn: ({ pageParam, signal }) => ask(operation, { ...variables, after: pageParam } as Variables, signal),
    initialPageParam: null,
    getNextPageParam: answer => cursorAfter(pick(answer)),
    placeholderData: keepPreviousData,
    // A refetch would ask for every page anew.
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? (refetchInterval ?? false) : false),
  });
  const { hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = query;
  const more = useCallback(() => {
    // A refetch under way would be cancelled.
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  return {
    rows: query.data?.pages.flatMap(answer => pick(answer).nodes),
    failure: query.error,
    hasMore: hasNextPage,
    isLoadingMore: isFetchingNextPage,
    more,
    retry: () => void query.refetch(),
  };
}
