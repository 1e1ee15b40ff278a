/** A part of the filter: what it is, with a button that changes it and one that takes it away. */
import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from '../logs.module.css';

/** The chip. */
export function Chip({
  name,
  value,
  edit,
  remove,
}: {
  readonly name: string;
  readonly value: string;
  readonly edit: () => void;
  readonly remove: () => void;
}): ReactNode {
  return (
    <span className={styles.chip}>
      <button type="button" title={`Change the filter ${name}`} onClick={edit}>
        {name}: <strong>{value}</strong>
      </button>
      <CloseButton size="xs" aria-label={`Remove the filter ${name}`} onClick={remove} />
    </span>
  );
}
