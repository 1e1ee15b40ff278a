/** The rows of the log: 32 pixels each, drawn only where they are seen. */
import { useHotkeys } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { LogRowFragment } from '../../api/operations.generated.ts';
import { Status } from '../../ui/status.tsx';
import { clockTime, dayOf, duration } from '../../ui/times.tsx';
import { channelWord, counted, phoneWord, plainWord } from '../../ui/words.ts';
import styles from './logs.module.css';

/** The list. `more` is called where its end comes into sight. */
export function LogList({
  rows,
  open,
  opened,
  more,
}: {
  readonly rows: readonly LogRowFragment[];
  readonly open: (id: string) => void;
  readonly opened: string | null;
  readonly more: () => void;
}): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  // By its id: while live, others come before it.
  const [selected, setSelected] = useState<string | null>(null);
  const isNarrow = innerWidth < 760;
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
    // Where few pass the filter, a page may have none, and another may follow.
    if (last >= rows.length - 10) more();
  }, [last, rows.length, more]);
  const move = (step: number): void => {
    const place = rows.findIndex(({ id }) => id === selected);
    const next = Math.min(rows.length - 1, Math.max(0, place + step));
    setSelected(rows[next]?.id ?? null);
    virtual.scrollToIndex(next);
  };
  const openSelected = (event: KeyboardEvent): void => {
    const row = rows.find(({ id }) => id === selected);
    // On what has the focus, a button or a link beside the list, Enter does what it does there.
    const control = (event.target as Element).closest('a, button, summary');
    if (!row || (control && !list.current?.contains(control))) return;
    event.preventDefault();
    open(storyOf(row));
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['Enter', openSelected, { preventDefault: false }],
  ]);
  return (
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
            <Row
              row={row}
              isSelected={row.id === selected || storyOf(row) === opened}
              open={() => {
                setSelected(row.id);
                open(storyOf(row));
              }}
            />
          </li>
        );
      })}
    </ul>
  );
}

/** What the story of an entry is of: its message or its passcode; else the entry itself, where the fraud guard stopped a send. */
function storyOf({ id, messageId, pinId }: LogRowFragment): string {
  return messageId ?? pinId ?? id;
}

function Row({ row, isSelected, open }: { row: LogRowFragment; isSelected: boolean; open: () => void }): ReactNode {
  const isAttempt = row.type === 'MESSAGE_ATTEMPT' || row.type === 'OTP_ATTEMPT';
  // It was sent all the same.
  const isFlagged = row.type === 'OTP_FLAGGED';
  return (
    <button type="button" className={styles.row} data-selected={isSelected || undefined} onClick={open}>
      <span className={styles.when}>
        <span className="quiet">{dayOf(row.createdAt)}</span> {clockTime(row.createdAt)}
      </span>
      <span className={styles.outcome}>
        <Status status={isFlagged ? 'FLAGGED' : row.status} {...(!isAttempt && { word: plainWord(row.type) })} />
      </span>
      <span className={styles.channel}>{row.channel ? channelWord(row.channel) : 'OTP'}</span>
      <span className={styles.recipient}>{phoneWord(row.recipient)}</span>
      <span className={styles.sender}>{row.sender && phoneWord(row.sender)}</span>
      <span className={styles.via}>{[row.provider, row.connection?.name].filter(Boolean).join('/')}</span>
      <span className={styles.reference}>{row.reference}</span>
      <span className={styles.result}>
        {row.errorCode ? (
          <span className={isFlagged ? styles.warning : styles.error}>{row.errorCode}</span>
        ) : (
          row.latencyMs !== null && isAttempt && duration(row.latencyMs)
        )}
      </span>
      <span className={styles.credits}>{row.credits > 0 && counted(row.credits, 'cr', 'cr')}</span>
    </button>
  );
}
