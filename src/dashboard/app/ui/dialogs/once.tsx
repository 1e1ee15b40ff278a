/** Something secret that is shown this once. */
import { Button, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../copy/copy.tsx';
import styles from './dialogs.module.css';
import { useOpenDialog } from './open-dialog.ts';

/** The dialog. `label` says what the button copies: `Copy the token`. */
export function ShownOnce({
  title,
  text,
  label,
  close,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly close: () => void;
  readonly children: ReactNode;
}): ReactNode {
  useOpenDialog();
  return (
    <Modal opened onClose={close} title={title} size="lg" closeOnClickOutside={false} closeOnEscape={false}>
      <Stack gap="sm">
        <Snippet text={text} label={label} />
        {children}
        <div className={styles.buttons}>
          <Button onClick={close}>Done</Button>
        </div>
      </Stack>
    </Modal>
  );
}

/** A text to copy. */
export function Snippet({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  return (
    <div className={styles.snippet}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
