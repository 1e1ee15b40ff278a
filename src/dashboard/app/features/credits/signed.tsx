/** Credits with their sign. */
import type { ReactNode } from 'react';
import { shownNumber } from '../../ui/words.ts';

/** `+100`, `−1`; plain: without the plus of what is no change. */
export function Signed({ value, isPlain = false }: { readonly value: number; readonly isPlain?: boolean }): ReactNode {
  const sign = value < 0 ? '−' : value > 0 && !isPlain ? '+' : '';
  return (
    <span>
      {sign}
      {shownNumber(Math.abs(value))}
    </span>
  );
}
