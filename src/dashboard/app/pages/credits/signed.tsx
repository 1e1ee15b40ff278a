/** Credits with their sign. */
import type { ReactNode } from 'react';
import filters from '../../ui/lists/filters.module.css';
import { shownNumber } from '../../ui/words.ts';

/** `+100`, `−1`; plain: without the plus of what is no change. On a phone what it is stands behind it. */
export function Signed({
  value,
  name,
  isPlain = false,
}: {
  readonly value: number;
  readonly name: string;
  readonly isPlain?: boolean;
}): ReactNode {
  const sign = value < 0 ? '−' : value > 0 && !isPlain ? '+' : '';
  return (
    <span>
      {sign}
      {shownNumber(Math.abs(value))}
      <span className={filters.unit}> {name}</span>
    </span>
  );
}
