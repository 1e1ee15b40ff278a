/** The filter as a question for programs. */
import type { ReactNode } from 'react';
import type { LogFilter } from '../../api/operations.generated.ts';
import { SamplesMenu } from '../../ui/samples-menu.tsx';
import type { View } from './filter/filter-state.ts';

const QUERIES: Readonly<Record<View, string>> = {
  attempts: `query Logs($filter: LogFilter, $after: String) {
  logs(first: 100, filter: $filter, after: $after) {
    nodes {
      createdAt type status channel recipient sender
      messageId pinId reference errorCode latencyMs credits
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
  messages: `query Sends($filter: LogFilter, $after: String) {
  sends(first: 100, filter: $filter, after: $after) {
    nodes {
      messageId pinId status
      entries { createdAt type status channel recipient sender reference errorCode credits }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
};

/** Copies the question that the list asks. */
export function CopyMenu({ filter, view }: { readonly filter: LogFilter; readonly view: View }): ReactNode {
  return <SamplesMenu asked={{ query: QUERIES[view], variables: { filter }, area: 'unified' }} />;
}
