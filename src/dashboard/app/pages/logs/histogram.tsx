/** How many entries there were in each part of the time, by outcome. */
import type { ReactNode } from 'react';
import type { LogFilter } from '../../api/operations.generated.ts';
import type { FilterState } from './filter-state.ts';

/** The bars above the list. */
export function Histogram(_: {
  readonly filter: LogFilter;
  readonly state: FilterState;
  readonly zoom: (from: string | null, to: string | null) => void;
}): ReactNode {
  return null;
}
