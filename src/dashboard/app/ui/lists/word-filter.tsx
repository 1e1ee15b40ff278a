/** A text that narrows a list. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import filters from './filters.module.css';

/** A text that narrows as soon as it is left or Enter is pressed. The placeholder names the filter: a whole example there would look like a value. */
export function WordFilter({
  label,
  placeholder = label,
  value,
  isId = false,
  change,
}: {
  readonly label: string;
  readonly placeholder?: string;
  readonly value: string | null;
  /** Room for a whole id. */
  readonly isId?: boolean;
  readonly change: (word: string) => void;
}): ReactNode {
  return (
    <TextInput
      // Another value of the URL is shown at once.
      key={value}
      aria-label={label}
      placeholder={placeholder}
      {...(isId ? { className: filters.id ?? '' } : { w: 180 })}
      defaultValue={value ?? ''}
      autoComplete="off"
      onBlur={event => change(event.currentTarget.value.trim())}
      onKeyDown={event => event.key === 'Enter' && change(event.currentTarget.value.trim())}
    />
  );
}
