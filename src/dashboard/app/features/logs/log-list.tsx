/** The rows of the log: 32 pixels each, drawn only where they are seen. */
import { useHotkeys } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { clockTime, dayOf, zoneWord } from '../../ui/times.tsx';
import { AgainLink, type AgainRow } from './again-link.tsx';
import styles from './logs.module.css';

/** A column; `name` is its place in the grid. */
export interface LogColumn<Row> {
  readonly name: string;
  readonly head: string;
  readonly cell: (row: Row) => ReactNode;
}

/** The id of the story of a row: its message or its passcode, else the entry itself. */
export function storyOf({ id, messageId, pinId }: LogRow): string {
  return messageId ?? pinId ?? id;
}

/** A row with a story. */
export interface LogRow extends AgainRow {
  readonly id: string;
  readonly pinId: string | null;
}

/** The list. `more` is called where its end comes into sight; `layout` names the widths of its columns. */
export function LogList<Row extends LogRow>({
  rows,
  columns,
  layout,
  open,
  opened,
  more,
}: {
  readonly rows: readonly Row[];
  readonly columns: readonly LogColumn<Row>[];
  readonly layout: 'attempts' | 'messages';
  readonly open: (id: string) => void;
  readonly opened: string | null;
  readonly more: () => void;
}): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  // By its id: while live, others come before it.
  const [selected, setSelected] = useState<string | null>(null);
  // Rows have two lines then, by their styles.
  const isNarrow = innerWidth < 1240;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isNarrow ? 52 : 32),
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: index => rows[index]?.id ?? index,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    // A page may have no row that passes the filter while another page follows.
    if (last >= rows.length - 10) more();
  }, [last, rows.length, more]);
  // The story that is shown may be another one when it is closed.
  useEffect(() => {
    if (opened !== null) setSelected(before => openedRow(rows, opened, before));
  }, [opened, rows]);
  const move = (step: number): void => {
    // Then the keys are the story's.
    if (opened !== null) return;
    const place = rows.findIndex(({ id }) => id === selected);
    const next = Math.min(rows.length - 1, Math.max(0, place + step));
    setSelected(rows[next]?.id ?? null);
    virtual.scrollToIndex(next);
  };
  const openSelected = (event: KeyboardEvent): void => {
    const row = rows.find(({ id }) => id === selected);
    // On what has the focus, a button or a link that is no row, Enter does what it does there.
    const control = (event.target as Element).closest('a, button, summary');
    const isRow = control?.tagName === 'BUTTON' && list.current?.contains(control) === true;
    if (!row || (control && !isRow)) return;
    event.preventDefault();
    open(storyOf(row));
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['Enter', openSelected, { preventDefault: false }],
  ]);
  return (
    <div data-layout={layout} className={styles.entries}>
      {rows.length > 0 && (
        <div className={styles.heads}>
          {columns.map(({ name, head }) => (
            <span key={name} className={styles[name]}>
              {name === 'when' ? `${head}, ${zoneWord()}` : head}
            </span>
          ))}
        </div>
      )}
      <ul ref={list} className={styles.list} style={{ height: virtual.getTotalSize() }} aria-label="Log entries">
        {items.map(item => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <li
              key={item.key}
              className={styles.item}
              style={{ height: item.size, transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
            >
              <button
                type="button"
                className={styles.row}
                data-selected={row.id === selected || storyOf(row) === opened || undefined}
                onClick={() => {
                  setSelected(row.id);
                  open(storyOf(row));
                }}
              >
                {columns.map(({ name, cell }) => (
                  <span key={name} className={styles[name]}>
                    {cell(row)}
                  </span>
                ))}
              </button>
              <AgainLink row={row} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

/** The row of a story: the one that was chosen, if it is of it, else its first. */
function openedRow(rows: readonly LogRow[], opened: string, chosen: string | null): string | null {
  const ofStory = rows.filter(row => storyOf(row) === opened);
  return (ofStory.find(({ id }) => id === chosen) ?? ofStory[0])?.id ?? chosen;
}

/** When something was, to the millisecond. */
export function Moment({ at }: { readonly at: string }): ReactNode {
  return (
    <>
      <span className="quiet">{dayOf(at)}</span> {clockTime(at)}
    </>
  );
}
