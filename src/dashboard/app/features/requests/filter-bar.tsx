/** The filter of the requests page. */
import { Select, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRights } from '../../frame/session/session.tsx';
import filters from '../../ui/lists/filters.module.css';
import { SpanSelect } from '../../ui/lists/spans.tsx';
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
      <Word name="code" label="Code" value={state.code} change={change} />
      <Word name="what" label="Path or operation" value={state.what} change={change} />
      <Word name="tokenId" label="Token id" value={state.tokenId} change={change} />
      <Word name="requestId" label="Request id" value={state.requestId} change={change} />
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

/** A text that narrows as soon as it is left or Enter is pressed. Its place says its name: an example there looks like a value. */
function Word({
  name,
  label,
  value,
  change,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly change: ChangeUrl;
}): ReactNode {
  return (
    <TextInput
      key={value}
      aria-label={label}
      placeholder={label}
      w={180}
      defaultValue={value}
      autoComplete="off"
      onBlur={event => change({ [name]: event.currentTarget.value.trim() })}
      onKeyDown={event => event.key === 'Enter' && change({ [name]: event.currentTarget.value.trim() })}
    />
  );
}
