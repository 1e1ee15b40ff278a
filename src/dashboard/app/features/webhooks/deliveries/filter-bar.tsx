/** The filter of deliveries. */
import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { statusWord } from '../../../ui/status.tsx';
import type { ChangeUrl } from '../../../ui/url-state.ts';
import styles from '../webhooks.module.css';
import { type FilterState, SPANS, STATUSES } from './filter-state.ts';

/** The bar. An event that the endpoint got before it was edited can still stand in the URL. */
export function FilterBar({
  state: { status, event, http, span },
  change,
  events,
}: {
  readonly state: FilterState;
  readonly change: ChangeUrl;
  readonly events: readonly string[];
}): ReactNode {
  const [typed, setTyped] = useState(http);
  const set = useDebouncedCallback((value: string) => change({ http: value }), 300);
  useEffect(() => setTyped(http), [http]);
  const isWrong = typed !== '' && !/^[1-5]\d\d$/.test(typed);
  return (
    <search className={styles.filters}>
      <Select
        aria-label="Status"
        placeholder="Any status"
        clearable
        clearButtonProps={{ 'aria-label': 'Any status' }}
        data={STATUSES.map(word => ({ value: word, label: statusWord(word) }))}
        value={status}
        onChange={value => change({ status: value })}
      />
      <Select
        aria-label="Event"
        placeholder="Any event"
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'Any event' }}
        data={[...new Set([...events, ...(event ? [event] : [])])]}
        value={event}
        onChange={value => change({ event: value })}
      />
      <TextInput
        aria-label="HTTP status"
        placeholder="HTTP status"
        inputMode="numeric"
        maxLength={3}
        value={typed}
        error={isWrong && '100 to 599'}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value);
          if (value === '' || /^[1-5]\d\d$/.test(value)) set(value);
        }}
      />
      <Select
        aria-label="Time"
        data={Object.entries(SPANS).map(([value, { name }]) => ({ value, label: name }))}
        value={span}
        allowDeselect={false}
        onChange={value => change({ span: value === 'all' ? null : value })}
      />
    </search>
  );
}
