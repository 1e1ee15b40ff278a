/** How long providers take to answer. */
import type { ReactNode } from 'react';
import { Table } from '../../ui/table.tsx';
import { duration } from '../../ui/times.tsx';
import { channelWord, shownNumber } from '../../ui/words.ts';
import type { OverviewData } from './figures.tsx';

/** The table. */
export function Latencies({ latencies }: { readonly latencies: OverviewData['latencies'] }): ReactNode {
  if (latencies.length === 0) return <p className="quiet">No provider was asked in this time.</p>;
  return (
    <Table
      label="How fast providers answer"
      rows={latencies}
      keyOf={({ channel, provider }) => `${channel} ${provider}`}
      columns={[
        { head: 'Provider', cell: ({ channel, provider }) => `${channelWord(channel)} via ${provider}`, isMain: true },
        { head: 'Asked', cell: ({ attempts }) => shownNumber(attempts), isNumber: true },
        { head: 'Median', cell: ({ medianMs }) => duration(medianMs), isNumber: true },
        { head: 'p95', cell: ({ p95Ms }) => duration(p95Ms), isNumber: true },
      ]}
    />
  );
}
