/** The time that a list looks back. */
import { Select } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';

const DAY_MS = 86_400_000;

const SPANS: Readonly<Record<string, { readonly name: string; readonly ms: number }>> = {
  '24h': { name: 'Last 24 hours', ms: DAY_MS },
  '7d': { name: 'Last 7 days', ms: 7 * DAY_MS },
  '30d': { name: 'Last 30 days', ms: 30 * DAY_MS },
};

/** When a span begins, the same until another is chosen; null: there is no beginning. */
export function useSpanStart(span: string | null): string | null {
  return useMemo(() => {
    const ms = SPANS[span ?? '']?.ms;
    return ms === undefined ? null : new Date(Date.now() - ms).toISOString();
  }, [span]);
}

/** Chooses a span; null: any time. `keptDays`: how many days of the list are kept; absent: all are. */
export function SpanSelect({
  span,
  keptDays = Number.POSITIVE_INFINITY,
  onChange,
}: {
  readonly span: string | null;
  readonly keptDays?: number | undefined;
  readonly onChange: (span: string | null) => void;
}): ReactNode {
  const offered = Object.entries(SPANS).filter(([, { ms }]) => ms <= keptDays * DAY_MS);
  return (
    <Select
      aria-label="Time"
      placeholder="Any time"
      w={150}
      clearable
      clearButtonProps={{ 'aria-label': 'Any time' }}
      data={offered.map(([value, { name }]) => ({ value, label: name }))}
      value={offered.some(([value]) => value === span) ? span : null}
      onChange={onChange}
    />
  );
}
