/** The end of a list that goes on: it loads more as it comes into sight, and by a button. */
import { Button } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { type ReactNode, useEffect } from 'react';
import type { Rows } from '../../api/pages.ts';

/** Stands under the rows. */
export function More({ of }: { readonly of: Rows<unknown> }): ReactNode {
  const { ref, entry } = useIntersection({ rootMargin: '200px' });
  const { more, hasMore, isLoadingMore } = of;
  const isSeen = entry?.isIntersecting === true;
  useEffect(() => {
    if (isSeen) more();
  }, [isSeen, more]);
  if (!hasMore) return null;
  return (
    <div ref={ref}>
      <Button variant="subtle" color="gray" fullWidth mt="xs" loading={isLoadingMore} onClick={more}>
        Show older
      </Button>
    </div>
  );
}
