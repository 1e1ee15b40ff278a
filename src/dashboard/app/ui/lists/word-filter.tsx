/** A text that narrows a list. */
import { TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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
  const [text, setText] = useState(value ?? '');
  const asked = useRef(text);
  useEffect(() => {
    const word = value ?? '';
    // The answer to a word of this input: more may have been typed since.
    if (word === asked.current) return;
    asked.current = word;
    setText(word);
  }, [value]);
  const narrow = (): void => {
    asked.current = text.trim();
    change(asked.current);
  };
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      {...(isId ? { className: filters.id ?? '' } : { w: 180 })}
      value={text}
      autoComplete="off"
      onChange={event => setText(event.currentTarget.value)}
      onBlur={narrow}
      onKeyDown={event => event.key === 'Enter' && narrow()}
    />
  );
}
