/** A secret, the only time that it is shown. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCopy } from '../../../ui/copy/use-copy.ts';
import { Icon } from '../../../ui/icons.tsx';
import styles from '../webhooks.module.css';

/** The secret with its button. `children` say more of it. */
export function ShownSecret({
  secret,
  children,
}: {
  readonly secret: string;
  readonly children?: ReactNode;
}): ReactNode {
  const { copied, copy } = useCopy();
  return (
    <div className={styles.secret}>
      <p>
        <strong>Signing secret.</strong> It is shown this once: keep it where your receiver reads it, as{' '}
        <code>WEBHOOK_SECRET</code>.
      </p>
      <div className={styles.line}>
        <code data-testid="secret">{secret}</code>
        <Button leftSection={<Icon name={copied ? 'check' : 'copy'} size={14} />} onClick={() => copy(secret)}>
          {copied ? 'Copied' : 'Copy secret'}
        </Button>
      </div>
      {children}
    </div>
  );
}
