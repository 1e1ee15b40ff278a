/** The log: what was sent and tried, how it ended, and the story of each. */
import { SegmentedControl, Switch } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { Page } from '../../ui/page.tsx';
import { CopyMenu } from './copy-menu.tsx';
import { ExportMenu } from './export/export-menu.tsx';
import { FilterBar } from './filter/filter-bar.tsx';
import { hasEnd, logFilterOf, timesOf, useFilter, VIEWS } from './filter/filter-state.ts';
import { isOfDays } from './filter/spans.ts';
import { useMinute } from './filter/use-minute.ts';
import { Histogram } from './histogram.tsx';
import { Attempts, Messages } from './log-view.tsx';

/** The page. */
export function Logs(): ReactNode {
  const [state, change] = useFilter();
  const { span, from, to, view } = state;
  const words = JSON.stringify(state.values);
  const minute = useMinute();
  // Midnight moves days, and so does another zone.
  const begin = isOfDays(span) ? timesOf(state, minute).from : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of what is not filtered by asks nothing anew
  const filter = useMemo(() => logFilterOf(state, Date.now()), [span, from, to, words, begin]);
  const Shown = view === 'attempts' ? Attempts : Messages;
  return (
    <Page
      title="Logs"
      about={VIEWS[view].about}
      actions={
        <SegmentedControl
          aria-label="Rows"
          value={view}
          onChange={value => change({ view: value === 'attempts' ? value : null })}
          data={Object.entries(VIEWS).map(([value, { name }]) => ({ value, label: name }))}
        />
      }
    >
      <FilterBar state={state} change={change}>
        <Switch
          label="Live"
          checked={state.isLive}
          disabled={hasEnd(state)}
          title={
            hasEnd(state)
              ? 'The chosen time has an end, so nothing new comes into it: choose one without an end first'
              : ''
          }
          onChange={event => change({ live: event.currentTarget.checked ? '1' : null })}
        />
        <CopyMenu filter={filter} view={view} />
        <ExportMenu filterNow={() => logFilterOf(state, Date.now())} view={view} />
      </FilterBar>
      <Histogram filter={filter} state={state} minute={minute} zoom={(from, to) => change({ from, to })} />
      <Shown filter={filter} state={state} change={change} />
    </Page>
  );
}
