/** The attempts over time, by outcome or by channel. */
import { SegmentedControl } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router';
import { channelWord, LISTED_CHANNELS } from '../../api/channels.ts';
import type { Bar, Layer } from '../../ui/bars/bar.ts';
import { Bars } from '../../ui/bars/bars.tsx';
import { LAYERS, layerOf } from '../../ui/bars/outcomes.ts';
import { attemptsLink } from '../../ui/log-link.ts';
import { Section } from '../../ui/page.tsx';
import type { OverviewData } from './figures.tsx';

/** In the order of the channels; behind the last one they begin anew. */
const COLOURS = ['sent', 'delivered', 'read', 'unknown', 'pending'];

const CHANNEL_LAYERS: readonly Layer[] = LISTED_CHANNELS.map((channel, index) => ({
  name: channel,
  label: channelWord(channel),
  colour: `var(--bar-${COLOURS[index % COLOURS.length]})`,
}));

/** The chart. */
export function Volume({ overview }: { readonly overview: OverviewData }): ReactNode {
  const navigate = useNavigate();
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
        zoom={(from, to) => void navigate(attemptsLink({ from, to, type: 'ATTEMPT' }))}
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
