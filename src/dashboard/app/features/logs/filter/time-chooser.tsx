/** The time that the log looks at: a span by a click, or a beginning and an end that are typed. */
import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { timeOfTyped, typedTime } from '../../../ui/region/zone-clock.ts';
import { rangeWord, zoneWord } from '../../../ui/times.tsx';
import type { ChangeUrl } from '../../../ui/url-state.ts';
import styles from '../logs.module.css';
import { Chip } from './chip.tsx';
import { type FilterState, hasChosenTime, timesOf } from './filter-state.ts';
import { SPANS } from './spans.ts';

const CUSTOM = 'custom';

/** Chooses it. */
export function TimeChooser({ state, change }: { readonly state: FilterState; readonly change: ChangeUrl }): ReactNode {
  const [isTyping, setTyping] = useState(false);
  const { from, to, span } = state;
  return (
    <Popover
      opened={isTyping}
      onChange={setTyping}
      position="bottom-start"
      trapFocus
      withRoles={false}
      withinPortal={false}
    >
      <Popover.Target>
        <div>
          {hasChosenTime(state) ? (
            <Chip
              name="time"
              value={rangeWord(from ?? '', to ?? '')}
              edit={() => setTyping(true)}
              remove={() => change({ from: null, to: null })}
            />
          ) : (
            <NativeSelect
              aria-label="Time"
              className={styles.span}
              data={[
                ...Object.entries(SPANS).map(([value, { name }]) => ({ value, label: name })),
                { value: CUSTOM, label: 'Custom …' },
              ]}
              value={span}
              onChange={({ currentTarget: { value } }) =>
                value === CUSTOM ? setTyping(true) : change({ span: value })
              }
            />
          )}
        </div>
      </Popover.Target>
      <Popover.Dropdown>
        <Range
          times={timesOf(state, Date.now())}
          choose={times => {
            change(times);
            setTyping(false);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface Times {
  readonly from: string;
  readonly to: string;
}

/** Two times, typed by the clock of the zone that times are shown in. */
function Range({
  times,
  choose,
}: {
  readonly times: Times;
  readonly choose: (times: { from: string; to: string }) => void;
}) {
  const [fault, setFault] = useState<string | null>(null);
  return (
    <form
      className={styles.range}
      onSubmit={event => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        const [from, to] = ['from', 'to'].map(name => timeOfTyped(String(given.get(name))));
        if (!from || !to) setFault('Give both times.');
        else if (from >= to) setFault('It must begin before it ends.');
        else choose({ from: from.toISOString(), to: to.toISOString() });
      }}
    >
      <TextInput
        type="datetime-local"
        name="from"
        label="From"
        description={`Times in ${zoneWord()}`}
        defaultValue={typedTime(times.from)}
        data-autofocus
      />
      <TextInput type="datetime-local" name="to" label="Before" defaultValue={typedTime(times.to)} error={fault} />
      <Button type="submit">Show</Button>
    </form>
  );
}
