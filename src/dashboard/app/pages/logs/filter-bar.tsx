/** What the log is filtered by: the time, a chip for each field, and the way to another. */
import { Button, CloseButton, Menu, NativeSelect, Popover, TextInput } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useRights } from '../../frame/session.tsx';
import { Icon } from '../../ui/icons.tsx';
import type { ChangeUrl } from '../../ui/url-state.ts';
import { plainWord } from '../../ui/words.ts';
import { FIELDS, type Field, type FilterState, hasChosenTime, SPANS } from './filter-state.ts';
import styles from './logs.module.css';

/** The bar above the list. */
export function FilterBar({ state, change, children }: { state: FilterState; change: ChangeUrl; children: ReactNode }) {
  const given = Object.keys(state.values) as Field[];
  const [asking, setAsking] = useState<Field | null>(null);
  const [isMenuOpen, setMenuOpen] = useState(false);
  useHotkeys([['f', () => setMenuOpen(true)]]);
  const { mayChange } = useRights();
  // A viewer sees numbers masked, and cannot look for one.
  const free = (Object.keys(FIELDS) as Field[]).filter(
    field => !given.includes(field) && (mayChange || field !== 'recipient'),
  );
  return (
    <div className={styles.filterBar}>
      {hasChosenTime(state) ? (
        <Chip
          name="time"
          value={rangeWord(state.from ?? '', state.to ?? '')}
          remove={() => change({ from: null, to: null })}
        />
      ) : (
        <NativeSelect
          aria-label="Time"
          className={styles.span}
          data={Object.entries(SPANS).map(([value, { name }]) => ({ value, label: name }))}
          value={state.span}
          onChange={event => change({ span: event.currentTarget.value })}
        />
      )}
      {given.map(field => (
        <Chip
          key={field}
          name={FIELDS[field].name}
          value={'words' in FIELDS[field] ? plainWord(state.values[field] ?? '') : (state.values[field] ?? '')}
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
      {asking && <Ask field={asking} change={change} close={() => setAsking(null)} />}
      <div className={styles.barEnd}>{children}</div>
    </div>
  );
}

function Chip({ name, value, remove }: { name: string; value: string; remove: () => void }): ReactNode {
  return (
    <span className={styles.chip}>
      <span>
        {name}: <strong>{value}</strong>
      </span>
      <CloseButton size="xs" aria-label={`Remove the filter ${name}`} onClick={remove} />
    </span>
  );
}

/** Asks for the value of a field. */
function Ask({ field, change, close }: { field: Field; change: ChangeUrl; close: () => void }): ReactNode {
  const spec = FIELDS[field];
  const set = (value: string | null): void => {
    if (value) change({ [field]: value.trim() });
    close();
  };
  return (
    <Popover
      opened
      onChange={isOpen => !isOpen && close()}
      position="bottom-start"
      trapFocus
      withRoles={false}
      withinPortal={false}
    >
      <Popover.Target>
        <span className={styles.chip}>{spec.name}: …</span>
      </Popover.Target>
      <Popover.Dropdown>
        {'words' in spec ? (
          <div className={styles.words} role="listbox" aria-label={spec.name}>
            {spec.words.map(word => (
              <Button
                key={word}
                role="option"
                aria-selected={false}
                variant="subtle"
                color="gray"
                justify="start"
                fullWidth
                onClick={() => set(word)}
              >
                {plainWord(word)}
              </Button>
            ))}
          </div>
        ) : (
          <form
            onSubmit={event => {
              event.preventDefault();
              set(String(new FormData(event.currentTarget).get('value')));
            }}
          >
            <TextInput
              name="value"
              aria-label={spec.name}
              placeholder={spec.example}
              data-autofocus
              autoComplete="off"
            />
          </form>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

const RANGE = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

function rangeWord(from: string, to: string): string {
  return RANGE.formatRange(new Date(from), new Date(to));
}
