/** The end of a list that goes on: it loads more as it comes into sight, and by a button. */
import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import type { Failure } from '../failure.ts';

/** The rows that were loaded so far. */
export interface Rows<Row> {
  /** Undefined: not asked yet. */
  readonly rows: readonly Row[] | undefined;
  readonly failure: Failure | null;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** Loads the next page, if there is one. */
  readonly more: () => void;
  readonly retry: () => void;
}

/** Stands under the rows. */
export function More({ of }: { readonly of: Rows<unknown> }): ReactNode {
  const { ref, entry } = useIntersection({ rootMargin: '200px' });
  const { more, hasMore, isLoadingMore } = of;
  // A page that was refused is asked for again by a button alone.
  const isWanted = entry?.isIntersecting === true && of.failure === null;
  useEffect(() => {
    if (isWanted) more();
  }, [isWanted, more]);
  if (!hasMore) return null;
  return (
    <div ref={ref}>
      <Button variant="subtle" color="gray" fullWidth mt="xs" loading={isLoadingMore} onClick={more}>
        Show older
      </Button>
    </div>
  );
}
