/** Recovery codes, which are shown this once. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './recovery-codes.module.css';
import { useCopy } from './use-copy.ts';

/** The list, and a button that copies it. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }): ReactNode {
  const { copied, copy } = useCopy();
  return (
    <>
      <p className={styles.about}>
        Each signs you in once if the phone is gone. They are shown only now: print them, or keep them where you keep
        passwords.
      </p>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map(code => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Button variant="default" size="sm" fullWidth onClick={() => copy(codes.join('\n'))}>
        {copied ? 'Copied' : 'Copy all'}
      </Button>
    </>
  );
}
