/** How a number stands beside the one before it: an arrow, a sign and a colour, each of which says it alone. */
import type { ReactNode } from 'react';
import { shownNumber } from '../../ui/words.ts';
import styles from './overview.module.css';

/** The direction that is better: more, less, or neither. */
type Better = 'more' | 'less' | 'neither';

/** The change of a count, as a part of what it was: `▲ +12 %`. Nothing where there was none before. */
export function CountChange({
  now,
  before,
  better = 'neither',
}: {
  readonly now: number;
  readonly before: number;
  readonly better?: Better;
}): ReactNode {
  if (before === 0) return null;
  const part = (100 * (now - before)) / before;
  return <Change by={part} words={`${magnitude(part, 0)} %`} better={better} />;
}

/** The change of a rate, in points of a hundred: `▼ −1.2 points`. Nothing where one of them is not known. */
export function RateChange({
  now,
  before,
}: {
  readonly now: number | null;
  readonly before: number | null;
}): ReactNode {
  if (now === null || before === null) return null;
  const points = 100 * (now - before);
  return <Change by={points} words={`${magnitude(points, 1)} points`} better="more" />;
}

function Change({
  by,
  words,
  better,
}: {
  readonly by: number;
  readonly words: string;
  readonly better: Better;
}): ReactNode {
  // A change that rounds to nothing shows as none.
  if (/^0(\.0)? /.test(words)) return <span className={styles.change}>= as before</span>;
  const isUp = by > 0;
  const isGood = better !== 'neither' && isUp === (better === 'more');
  return (
    <span className={styles.change} data-meaning={better === 'neither' ? undefined : isGood ? 'good' : 'bad'}>
      <span aria-hidden="true">{isUp ? '▲' : '▼'}</span> {isUp ? '+' : '−'}
      {words}
    </span>
  );
}

function magnitude(value: number, digits: number): string {
  const rounded = Number(Math.abs(value).toFixed(digits));
  return digits > 0 && rounded < 100 ? rounded.toFixed(digits) : shownNumber(rounded);
}
