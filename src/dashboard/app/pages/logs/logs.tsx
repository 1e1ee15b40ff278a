/** The log: what was tried, how it ended, and the story of each. */
import { Button, Switch } from '@mantine/core';
import { useWindowScroll } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useMemo } from 'react';
import { Link } from 'react-router';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { CopyMenu } from './copy-menu.tsx';
import { ExportMenu } from './export/export-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { hasEnd, logFilterOf, useFilter } from './filter-state.ts';
import { Histogram } from './histogram.tsx';
import { LogList } from './log-list.tsx';
import styles from './logs.module.css';
import { useLog } from './use-log.ts';

const Story = lazy(async () => ({ default: (await import('./story/story.tsx')).Story }));

/** How far down the page a reader is held to be reading. */
const READING_FROM_PX = 240;

/** The page. */
export function Logs(): ReactNode {
  const [state, change] = useFilter();
  const { span, from, to } = state;
  const words = JSON.stringify(state.values);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of what is not filtered by asks nothing anew
  const filter = useMemo(() => logFilterOf(state, Date.now()), [span, from, to, words]);
  const [scroll, scrollTo] = useWindowScroll();
  const isReading = scroll.y > READING_FROM_PX;
  const log = useLog(filter, state.isLive, isReading);
  return (
    <Page title="Logs" about="Every attempt to reach a phone, and what became of every passcode.">
      <FilterBar state={state} change={change}>
        <Switch
          label="Live"
          checked={state.isLive}
          disabled={hasEnd(state)}
          title={hasEnd(state) ? 'What happens now is not in the chosen time: choose one without an end first' : ''}
          onChange={event => change({ live: event.currentTarget.checked ? '1' : null })}
        />
        <CopyMenu filter={filter} />
        <ExportMenu filterNow={() => logFilterOf(state, Date.now())} />
      </FilterBar>
      <Histogram filter={filter} state={state} zoom={(from, to) => change({ from, to })} />
      {log.failure && <FailureNote failure={log.failure} retry={log.retry} />}
      {log.isLost && (
        <p className="quiet" role="status">
          The gateway does not answer. Reconnecting …
        </p>
      )}
      {log.leftOut > 0 && (
        <p className="quiet" role="status">
          {log.leftOut === 1 ? '1 entry was' : `${log.leftOut} entries were`} left out, as they came too fast.{' '}
          <Button size="compact-sm" variant="subtle" onClick={log.askAnew}>
            Ask again
          </Button>
        </p>
      )}
      {log.waiting > 0 && (
        <div className={styles.new}>
          <Button onClick={() => scrollTo({ y: 0 })}>{log.waiting} new</Button>
        </div>
      )}
      {log.isLoading ? (
        <Loading lines={12} />
      ) : (
        <LogList rows={log.rows} open={id => change({ open: id })} opened={state.open} more={log.more} />
      )}
      {log.isLookingOn && log.rows.length === 0 && (
        <p className={styles.end} role="status">
          Nothing yet. Looking further back …
        </p>
      )}
      {log.hasEnd && log.rows.length > 0 && <p className={styles.end}>Nothing older in this time.</p>}
      {log.hasEnd && log.rows.length === 0 && (
        <Empty title="Nothing in this time">
          <p>Choose a longer time, remove a filter, or send a message: it shows here at once.</p>
          <Button component={Link} to="/send">
            Send a message
          </Button>
        </Empty>
      )}
      {state.open && (
        <Suspense>
          <Story
            id={state.open}
            entry={log.rows.find(({ id }) => id === state.open) ?? null}
            close={() => change({ open: null })}
          />
        </Suspense>
      )}
    </Page>
  );
}
