/** How much is unread, as a number in a pill. */
import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './ui.module.css';

/** More are not counted out: the number would not fit, and says nothing more. */
const SHOWN_MAX = 99;

/** The pill; nothing where none is unread. `one` and `many` say what is counted. */
export function Unread({
  count,
  one = 'unread text',
  many = `${one}s`,
}: {
  readonly count: number;
  readonly one?: string;
  readonly many?: string;
}): ReactNode {
  if (count === 0) return null;
  return (
    <span className={styles.unread}>
      {count > SHOWN_MAX ? `${SHOWN_MAX}+` : count}
      <VisuallyHidden> {count === 1 ? one : many}</VisuallyHidden>
    </span>
  );
}
