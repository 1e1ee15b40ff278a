/** Asks for the value of a field of the filter. */
import { Button, Popover, TextInput } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import type { ChangeUrl } from '../../../ui/url-state.ts';
import { plainWord } from '../../../ui/words.ts';
import styles from '../logs.module.css';
import { type Choice, typedValue } from './choices.ts';
import { type Field, kindOf, listOf } from './filter-state.ts';

/** A chip with what it asks; it stays open while several words are chosen. */
export function Ask(props: {
  readonly field: Field;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly change: ChangeUrl;
  readonly close: () => void;
}): ReactNode {
  const { field, close } = props;
  const { name, words } = kindOf(field);
  useOpenDialog();
  return (
    <Popover
      opened
      onChange={isOpen => !isOpen && close()}
      position="bottom-start"
      trapFocus
      withRoles={false}
      withinPortal={false}
    >
      <Popover.Target>
        <span className={styles.chip}>{name}: …</span>
      </Popover.Target>
      <Popover.Dropdown>{words ? <Words {...props} words={words} /> : <Text {...props} />}</Popover.Dropdown>
    </Popover>
  );
}

type Props = Parameters<typeof Ask>[0];

function Words({ field, value, change, close, words }: Props & { readonly words: readonly string[] }): ReactNode {
  const { name, isList } = kindOf(field);
  const chosen = listOf(value);
  const choose = (word: string): void => {
    if (!isList) {
      change({ [field]: word });
      close();
      return;
    }
    const next = chosen.includes(word) ? chosen.filter(one => one !== word) : [...chosen, word];
    change({ [field]: next.join() || null });
  };
  return (
    <div className={styles.words} role="listbox" aria-label={name} aria-multiselectable={isList ?? false}>
      {words.map(word => (
        <Button
          key={word}
          role="option"
          aria-selected={chosen.includes(word)}
          variant={chosen.includes(word) ? 'light' : 'subtle'}
          color="gray"
          justify="start"
          fullWidth
          onClick={() => choose(word)}
        >
          {plainWord(word)}
        </Button>
      ))}
    </div>
  );
}

function Text({ field, value, choices, change, close }: Props): ReactNode {
  const { name, example } = kindOf(field);
  const list = useId();
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        const typed = typedValue(String(new FormData(event.currentTarget).get('value')), choices);
        if (typed) change({ [field]: typed });
        close();
      }}
    >
      <TextInput
        name="value"
        aria-label={name}
        placeholder={example}
        defaultValue={value}
        data-autofocus
        autoComplete="off"
        {...(choices.length > 0 && { list })}
      />
      {choices.length > 0 && (
        <datalist id={list}>
          {choices.map(choice => (
            <option key={choice.value} value={choice.value} label={choice.label} />
          ))}
        </datalist>
      )}
    </form>
  );
}
