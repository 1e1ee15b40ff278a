/** The input of the components of a template. */
import { Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { componentsFault } from './components.ts';
import styles from './template.module.css';

/** The input. */
export function ComponentsInput({
  value,
  change,
  error = null,
  onBlur,
}: {
  /** As JSON; empty: none. */
  readonly value: string;
  readonly change: (json: string) => void;
  /** Why the gateway would refuse them. */
  readonly error?: string | null | undefined;
  readonly onBlur?: () => void;
}): ReactNode {
  return (
    <Textarea
      className={styles.components ?? ''}
      label="Components, as JSON"
      placeholder='[{"type": "body", "parameters": [{"type": "text", "text": "1042"}]}]'
      autosize
      minRows={1}
      maxRows={8}
      value={value}
      onChange={event => change(event.currentTarget.value)}
      {...(onBlur && { onBlur })}
      error={componentsFault(value) ?? error}
      spellCheck={false}
    />
  );
}
