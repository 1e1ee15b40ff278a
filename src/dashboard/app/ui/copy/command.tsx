/** A command that works as it stands. */
import type { ReactNode } from 'react';
import styles from './command.module.css';
import { CopyButton } from './copy.tsx';

/** The command, with a button that copies it. */
export function Command({ command }: { readonly command: string }): ReactNode {
  return (
    <div className={styles.command}>
      <code>{command}</code>
      <CopyButton text={command} label="Copy the command" />
    </div>
  );
}
