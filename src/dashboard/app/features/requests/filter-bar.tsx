/** The filter of the requests page. */
import { Select, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRights } from '../../frame/session/session.tsx';
import filters from '../../ui/lists/filters.module.css';
import { SpanSelect } from '../../ui/lists/spans.tsx';
import { WordFilter } from '../../ui/lists/word-filter.tsx';
import type { ChangeUrl } from '../../ui/url-state.ts';
import { type FilterState, isStatus } from './filter-state.ts';

const CLASSES = [
  { value: '2xx', label: 'HTTP 2xx' },
  { value: '4xx', label: 'HTTP 4xx' },
  { value: '5xx', label: 'HTTP 5xx' },
];

/** The bar above the list. */
export function FilterBar({
  state,
  keptDays,
  change,
}: {
  readonly state: FilterState;
  readonly keptDays: number | undefined;
  readonly change: ChangeUrl;
}): ReactNode {
  const { isOperator } = useRights();
  const { status } = state;
  const one =
    isStatus(status) && !CLASSES.some(({ value }) => value === status) ? [{ value: status, label: status }] : [];
  return (
    <search className={filters.bar}>
      <Select
        aria-label="Status"
        placeholder="Any status"
        w={150}
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={[...CLASSES, ...one]}
        value={isStatus(status) ? status : null}
        onChange={value => change({ status: value })}
      />
      <WordFilter label="Code" value={state.code} change={code => change({ code })} />
      <WordFilter label="Path or operation" value={state.what} change={what => change({ what })} />
      <WordFilter label="Token id" value={state.tokenId} change={tokenId => change({ tokenId })} />
      <WordFilter label="Request id" value={state.requestId} change={requestId => change({ requestId })} />
      <SpanSelect span={state.span} keptDays={keptDays} onChange={span => change({ span })} />
      {isOperator && (
        <Switch
          label="Without a valid token"
          checked={state.strangers}
          onChange={event => change({ strangers: event.currentTarget.checked ? '1' : null })}
        />
      )}
    </search>
  );
}
