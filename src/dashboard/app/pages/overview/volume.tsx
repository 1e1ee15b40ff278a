/** What was sent over time, by outcome or by channel. */
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Bar, Layer } from '../../ui/bars/bar.ts';
import { Bars } from '../../ui/bars/bars.tsx';
import { Section } from '../../ui/page.tsx';
import { channelWord } from '../../ui/words.ts';
import { LAYERS, layerOf } from '../logs/histogram.tsx';
import type { OverviewData } from './figures.tsx';

const CHANNEL_LAYERS: readonly Layer[] = [
  { name: 'SMS', label: channelWord('SMS'), colour: 'var(--bar-sent)' },
  { name: 'CHAT_QR', label: channelWord('CHAT_QR'), colour: 'var(--bar-delivered)' },
  { name: 'CHAT_CLOUD', label: channelWord('CHAT_CLOUD'), colour: 'var(--bar-read)' },
];

/** The chart. */
export function Volume({ overview }: { readonly overview: OverviewData }): ReactNode {
  const [by, setBy] = useState<'status' | 'channel'>('status');
  return (
    <Section
      title="Attempts"
      actions={
        <SegmentedControl
          aria-label="Stacked by"
          value={by}
          onChange={value => setBy(value === 'channel' ? 'channel' : 'status')}
          data={[
            { value: 'status', label: 'By outcome' },
            { value: 'channel', label: 'By channel' },
          ]}
        />
      }
    >
      <Bars
        label={`Attempts by ${by === 'status' ? 'outcome' : 'channel'}`}
        bars={barsOf(overview, by)}
        layers={by === 'status' ? LAYERS : CHANNEL_LAYERS}
        height={180}
      />
    </Section>
  );
}

function barsOf({ from, to, bucketMinutes, buckets }: OverviewData, by: 'status' | 'channel'): Bar[] {
  const stepMs = bucketMinutes * 60_000;
  const bars: Bar[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += stepMs) {
    const counts: Record<string, number> = {};
    for (const bucket of buckets) {
      if (Date.parse(bucket.from) !== at) continue;
      const name = by === 'status' ? layerOf(bucket.status) : bucket.channel;
      counts[name] = (counts[name] ?? 0) + bucket.attempts;
    }
    bars.push({ from: new Date(at).toISOString(), to: new Date(at + stepMs).toISOString(), counts });
  }
  return bars;
}
