/** The filter as a question for programs. */
import type { ReactNode } from 'react';
import type { LogFilter } from '../../api/operations.generated.ts';
import { SamplesMenu } from '../../ui/samples-menu.tsx';

const QUERY = `query Logs($filter: LogFilter, $after: String) {
  logs(first: 100, filter: $filter, after: $after) {
    nodes {
      createdAt type status channel recipient sender
      messageId pinId reference errorCode latencyMs credits
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** Copies the question that the list asks. */
export function CopyMenu({ filter }: { readonly filter: LogFilter }): ReactNode {
  return <SamplesMenu asked={{ query: QUERY, variables: { filter }, area: 'unified' }} />;
}
