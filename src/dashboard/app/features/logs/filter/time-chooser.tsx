/** The time that the log looks at: a span by a click, or a beginning and an end that are typed. */
import { Button, NativeSelect, Popover, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { timeOfTyped, typedTime } from '../../../ui/region/zone-clock.ts';
import { rangeWord, zoneWord } from '../../../ui/times.tsx';
import type { ChangeUrl } from '../../../ui/url-state.ts';
import styles from '../logs.module.css';
import { type FilterState, hasChosenTime, timesOf } from './filter-state.ts';
import { SPANS } from './spans.ts';

/** Asks for two times. */
const CUSTOM = 'custom';

/** Stands for two times that were typed, or chosen in the histogram. */
const CHOSEN = 'chosen';

/** Chooses it. */
export function TimeChooser({ state, change }: { readonly state: FilterState; readonly change: ChangeUrl }): ReactNode {
  const [isTyping, setTyping] = useState(false);
  const { from, to, span } = state;
  const chosen = hasChosenTime(state) ? [{ value: CHOSEN, label: rangeWord(from ?? '', to ?? '') }] : [];
  const choose = (value: string): void => {
    if (value === CUSTOM) setTyping(true);
    else if (value !== CHOSEN) change({ span: value, from: null, to: null });
  };
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
          <NativeSelect
            aria-label="Time"
            className={styles.span}
            data-wide={chosen.length > 0 || undefined}
            data={[
              ...chosen,
              ...Object.entries(SPANS).map(([value, { name }]) => ({ value, label: name })),
              { value: CUSTOM, label: 'Custom …' },
            ]}
            value={chosen[0]?.value ?? span}
            onChange={({ currentTarget: { value } }) => choose(value)}
          />
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
