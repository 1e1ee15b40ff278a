/** The filter of the log: the time, a chip for each field, and a menu of further fields. */
import { Button, Menu } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useRights } from '../../../frame/session/session.tsx';
import { Icon } from '../../../ui/icons.tsx';
import type { ChangeUrl } from '../../../ui/url-state.ts';
import styles from '../logs.module.css';
import { Chip } from './chip.tsx';
import { shownValue, useChoices } from './choices.ts';
import { Ask } from './filter-ask.tsx';
import { FIELDS, type Field, type FilterState } from './filter-state.ts';
import { TimeChooser } from './time-chooser.tsx';

/** The fields whose choices the gateway is asked for. */
const ASKED: readonly (Field | null)[] = ['connection', 'provider'];

/** The bar above the list. */
export function FilterBar({ state, change, children }: { state: FilterState; change: ChangeUrl; children: ReactNode }) {
  const given = Object.keys(state.values) as Field[];
  const [asking, setAsking] = useState<Field | null>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useHotkeys([['f', () => setMenuOpen(true)]]);
  const choicesOf = useChoices([...given, asking].some(field => ASKED.includes(field)));
  const { may } = useRights();
  // A viewer sees numbers masked, and cannot look for one.
  const free = (Object.keys(FIELDS) as Field[]).filter(
    field => !given.includes(field) && (may('NUMBERS') || field !== 'recipient'),
  );
  const ask = asking && (
    <Ask
      field={asking}
      value={state.values[asking] ?? ''}
      choices={choicesOf(asking)}
      change={change}
      close={() => setAsking(null)}
    />
  );
  return (
    <div className={styles.filterBar}>
      <div className={styles.chips}>
        <TimeChooser state={state} change={change} />
        {given.map(field => (
          <Chip
            key={field}
            name={FIELDS[field].name}
            value={shownValue(field, state.values[field] ?? '', choicesOf(field))}
            edit={() => setAsking(field)}
            remove={() => change({ [field]: null })}
          />
        ))}
        <Menu opened={isMenuOpen} onChange={setMenuOpen} position="bottom-start">
          <Menu.Target>
            <Button variant="subtle" color="gray" leftSection={<Icon name="plus" size={14} />}>
              Filter
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {free.map(field => (
              <Menu.Item key={field} onClick={() => setAsking(field)}>
                {FIELDS[field].name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        {ask}
      </div>
      <div className={styles.barEnd}>{children}</div>
    </div>
  );
}
