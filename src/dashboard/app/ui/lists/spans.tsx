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

/** Chooses a span; null: any time. */
export function SpanSelect({
  span,
  onChange,
}: {
  readonly span: string | null;
  readonly onChange: (span: string | null) => void;
}): ReactNode {
  return (
    <Select
      aria-label="Time"
      placeholder="Any time"
      w={150}
      clearable
      clearButtonProps={{ 'aria-label': 'Any time' }}
      data={Object.entries(SPANS).map(([value, { name }]) => ({ value, label: name }))}
      value={span !== null && span in SPANS ? span : null}
      onChange={onChange}
    />
  );
}
