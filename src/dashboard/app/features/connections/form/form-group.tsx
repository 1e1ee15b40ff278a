/** A part of a form, under its name. */
import { type ReactNode, useState } from 'react';
import styles from '../connections.module.css';

/** The part. With `isFolded` it is closed until it is opened, or something in it is at fault. */
export function FormGroup({
  label,
  isFolded = false,
  hasFault = false,
  children,
}: {
  readonly label: string;
  readonly isFolded?: boolean;
  readonly hasFault?: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const [isOpened, setOpened] = useState(false);
  if (!isFolded)
    return (
      <fieldset className={styles.group}>
        <legend>{label}</legend>
        {children}
      </fieldset>
    );
  return (
    <details
      className={styles.group}
      open={isOpened || hasFault}
      onToggle={event => setOpened(event.currentTarget.open)}
    >
      <summary>{label}</summary>
      <div className={styles.folded}>{children}</div>
    </details>
  );
}
