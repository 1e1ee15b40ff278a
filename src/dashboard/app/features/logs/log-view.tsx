/** A view of the log: its rows, the notices around them, and the story of the open one. */
import { Button } from '@mantine/core';
import { useWindowScroll } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense } from 'react';
import { Link } from 'react-router';
import type { LogFilter } from '../../api/operations.generated.ts';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import type { ChangeUrl } from '../../ui/url-state.ts';
import { ENTRY_COLUMNS } from './entry-columns.tsx';
import type { FilterState } from './filter/filter-state.ts';
import { type LogColumn, LogList, type LogRow, storyOf } from './log-list.tsx';
import styles from './logs.module.css';
import { SEND_COLUMNS, shownSend } from './sends/send-columns.tsx';
import { useSends } from './sends/use-sends.ts';
import type { StoryEntry } from './story/story.tsx';
import { useLog } from './use-log.ts';
import type { Log } from './use-log-pages.ts';

const Story = lazy(async () => ({ default: (await import('./story/story.tsx')).Story }));

/** How far down the page a reader is held to be reading. */
const READING_FROM_PX = 240;

interface ViewProps {
  readonly filter: LogFilter;
  readonly state: FilterState;
  readonly change: ChangeUrl;
}

/** A row for each message and each passcode. */
export function Messages(props: ViewProps): ReactNode {
  const isReading = useIsReading();
  const log = useSends(props.filter, props.state.isLive, isReading);
  const rows = log.rows.map(shownSend);
  const entry = rows.find(({ id }) => id === props.state.open)?.entries[0] ?? null;
  return <View {...props} log={log} rows={rows} columns={SEND_COLUMNS} entry={entry} />;
}

/** A row for each attempt and each outcome of a passcode. */
export function Attempts(props: ViewProps): ReactNode {
  const isReading = useIsReading();
  const log = useLog(props.filter, props.state.isLive, isReading);
  const entry = log.rows.find(({ id }) => id === props.state.open) ?? null;
  return <View {...props} log={log} rows={log.rows} columns={ENTRY_COLUMNS} entry={entry} />;
}

function useIsReading(): boolean {
  const [scroll] = useWindowScroll();
  return scroll.y > READING_FROM_PX;
}

function View<Row extends LogRow>({
  state,
  change,
  log,
  rows,
  columns,
  entry,
}: ViewProps & {
  readonly log: Log<unknown>;
  readonly rows: readonly Row[];
  readonly columns: readonly LogColumn<Row>[];
  readonly entry: StoryEntry | null;
}): ReactNode {
  const [, scrollTo] = useWindowScroll();
  return (
    <>
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
        <LogList
          rows={rows}
          columns={columns}
          layout={state.view}
          open={id => change({ open: id })}
          opened={state.open}
          more={log.more}
        />
      )}
      {log.isLookingOn && rows.length === 0 && (
        <p className={styles.end} role="status">
          Nothing yet. Looking further back …
        </p>
      )}
      {log.hasEnd && rows.length > 0 && <p className={styles.end}>Nothing older in the chosen time.</p>}
      {log.hasEnd && rows.length === 0 && (
        <Empty title="Nothing in this period">
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
            entry={entry}
            stories={rows.map(storyOf)}
            show={id => change({ open: id, again: null })}
            close={() => change({ open: null, again: null })}
          />
        </Suspense>
      )}
    </>
  );
}
