/** Says that nothing that an account sends reaches a real phone. */
import type { ReactNode } from 'react';
import styles from './frame.module.css';

/** The badge, beside the name of the account. */
export function SandboxBadge(): ReactNode {
  return (
    <span
      className={styles.sandbox}
      title="No provider is connected: the sandbox takes every send, and no real phone is reached."
    >
      sandbox
    </span>
  );
}
