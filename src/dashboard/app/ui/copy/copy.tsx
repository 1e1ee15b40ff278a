/** Copying: a button that says that it did, and ids that are copied by a click. */
import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';
import styles from '../ui.module.css';
import { useCopy } from './use-copy.ts';

/** Copies a text. `label` says what it is: `Copy the secret`. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { copied, copy } = useCopy();
  return (
    <Tooltip label={copied ? 'Copied' : label}>
      <ActionIcon variant="subtle" color="gray" size="sm" aria-label={label} onClick={() => copy(text)}>
        <Icon name={copied ? 'check' : 'copy'} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

/** An id shortened in the middle, whole when it is pointed at, and copied whole by a click. */
export function ShownId({ id, label = 'Copy the id' }: { readonly id: string; readonly label?: string }): ReactNode {
  const { copied, copy } = useCopy();
  return (
    <Tooltip label={copied ? 'Copied' : id}>
      <button
        type="button"
        className={styles.id}
        onClick={event => {
          event.stopPropagation();
          copy(id);
        }}
      >
        {shortened(id)}
        <VisuallyHidden>
          {label}: {id}
        </VisuallyHidden>
      </button>
    </Tooltip>
  );
}

/** `msg_01a2018495c972249b137b3a96670d73` as `msg_01a2…0d73`; what is short stays whole. */
export function shortened(id: string): string {
  const underscore = id.indexOf('_');
  const head = underscore === -1 ? 6 : underscore + 5;
  return id.length > head + 8 ? `${id.slice(0, head)}…${id.slice(-4)}` : id;
}
