/** The page of keys; loaded when it is opened first. */
import { Kbd, Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useOpenDialog } from '../../ui/dialogs/open-dialog.ts';
import { MOD_KEY } from './mod-key.ts';
import styles from './shortcuts.module.css';

/** The keys by where they work. Those of a line do the same, each by itself; `+` joins what is held together. */
const GROUPS: readonly {
  readonly title: string;
  readonly keys: readonly (readonly [keys: string[], does: string])[];
}[] = [
  {
    title: 'Everywhere',
    keys: [
      [[`${MOD_KEY}+K`, '/'], 'Search for a page, a number, an id or a command'],
      [['?'], 'Show these keys'],
      [['Esc'], 'Close what is open'],
    ],
  },
  {
    title: 'In the log',
    keys: [
      [['j'], 'Next entry'],
      [['k'], 'Previous entry'],
      [['Enter'], 'Open the entry'],
      [['f'], 'Add a filter'],
    ],
  },
  {
    title: 'In an open entry',
    keys: [
      [['j', '→'], 'Next'],
      [['k', '←'], 'Previous'],
    ],
  },
  { title: 'On the page Send', keys: [[[`${MOD_KEY}+Enter`], 'Send']] },
];

/** The dialog. */
export function Shortcuts({ close }: { readonly close: () => void }): ReactNode {
  useOpenDialog();
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts">
      {GROUPS.map(({ title, keys }) => (
        <section key={title} className={styles.group}>
          <h3>{title}</h3>
          <dl>
            {keys.map(([ways, does]) => (
              <div key={does}>
                <dt>
                  {ways.map(way => (
                    <Keys key={way} keys={way.split('+')} />
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}

function Keys({ keys }: { readonly keys: readonly string[] }): ReactNode {
  return (
    <span>
      {keys.map(key => (
        <Kbd key={key} size="xs">
          {key}
        </Kbd>
      ))}
    </span>
  );
}
