/** The credits that the last days cost: a chart by channel and purpose, and the sums of each day. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import { channelWord, LISTED_CHANNELS } from '../../api/channels.ts';
import { useAnswer } from '../../api/hooks.ts';
import { CreditDaysDocument, type CreditDaysQuery } from '../../api/operations.generated.ts';
import type { Bar, Layer } from '../../ui/bars/bar.ts';
import { Bars } from '../../ui/bars/bars.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { dayOf } from '../../ui/times.tsx';
import { Signed } from './signed.tsx';

type Day = CreditDaysQuery['creditDays'][number];

const DAY_MS = 86_400_000;

/** How many days are listed before one asks for all. */
const SHORT = 7;

const LAYERS: readonly Layer[] = LISTED_CHANNELS.filter(channel => CHANNEL_FACTS[channel].isPaid).flatMap(channel => [
  { name: `${channel} MESSAGE`, label: `${channelWord(channel)} of messages`, colour: 'var(--bar-sent)' },
  { name: `${channel} OTP`, label: `${channelWord(channel)} of passcodes`, colour: 'var(--bar-read)' },
]);

/** The section. */
export function CreditDays(): ReactNode {
  const { data, error, refetch } = useAnswer(CreditDaysDocument, { days: 30 });
  const [isWhole, setWhole] = useState(false);
  const moved = (data?.creditDays ?? []).filter(({ spent, adjusted }) => spent !== 0 || adjusted !== 0).toReversed();
  const shown = isWhole ? moved : moved.slice(0, SHORT);
  return (
    <Section title="The last 30 days">
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={6} />}
      {data && (
        <Bars
          label="Credits spent by day"
          bars={data.creditDays.map(barOf)}
          layers={layersOf(data.creditDays)}
          height={140}
        />
      )}
      {shown.length > 0 && <Table label="Credits by day" rows={shown} keyOf={({ from }) => from} columns={COLUMNS} />}
      {shown.length < moved.length && (
        <Button variant="subtle" color="gray" onClick={() => setWhole(true)}>
          Show all {moved.length} days
        </Button>
      )}
    </Section>
  );
}

const COLUMNS = [
  { head: 'Day (UTC)', cell: ({ from }: Day) => dayOf(from, 'UTC'), isMain: true },
  { head: 'Spent', cell: ({ spent }: Day) => <Signed value={-spent} />, isNumber: true },
  {
    head: 'Adjusted',
    cell: ({ adjusted }: Day) => adjusted !== 0 && <Signed value={adjusted} />,
    isNumber: true,
  },
  {
    head: 'Balance at its end',
    cell: ({ balance }: Day) => <Signed value={balance} isPlain />,
    isNumber: true,
  },
];

function nameOf({ channel, purpose }: Day['spending'][number]): string {
  return `${channel} ${purpose}`;
}

function barOf({ from, spending }: Day): Bar {
  const counts = Object.fromEntries(spending.map(spend => [nameOf(spend), spend.credits]));
  return { from, to: new Date(Date.parse(from) + DAY_MS).toISOString(), counts };
}

/** The layers of paid channels, and one for each other channel that cost credits: another release may have charged for it. */
function layersOf(days: readonly Day[]): Layer[] {
  const known = new Set(LAYERS.map(({ name }) => name));
  const others = new Map(days.flatMap(({ spending }) => spending.map(spend => [nameOf(spend), spend] as const)));
  return [
    ...LAYERS,
    ...[...others]
      .filter(([name]) => !known.has(name))
      .map(([name, { channel, purpose }]) => ({
        name,
        label: `${channelWord(channel)} of ${purpose === 'OTP' ? 'passcodes' : 'messages'}`,
        colour: 'var(--bar-delivered)',
      })),
  ];
}
