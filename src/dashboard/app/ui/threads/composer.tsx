/** The form at the foot of a thread. */
import { Button, Textarea } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { withoutShown } from '../dialogs/faults.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../feedback.tsx';
import styles from './threads.module.css';

/** The form. */
export function ThreadComposer({
  label,
  text,
  change,
  button,
  failure,
  isBusy,
  isReady = true,
  submit,
  above,
  children,
}: {
  readonly label: string;
  readonly text: string;
  readonly change: (text: string) => void;
  /** The words of its button. */
  readonly button: string;
  /** Why it was refused; null: it was not. */
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  /** Whether what it needs beside a text is there. */
  readonly isReady?: boolean;
  readonly submit: () => void;
  /** Stands above the text. */
  readonly above?: ReactNode;
  /** Stands below the text: what is to be known before. */
  readonly children?: ReactNode;
}): ReactNode {
  const about = useId();
  const fault = failure?.faults.find(({ field }) => field === 'text');
  const left = withoutShown(failure, ['text']);
  const mayGo = text.trim() !== '' && isReady && !isBusy;
  return (
    <form
      className={styles.composer}
      aria-label={label}
      onSubmit={event => {
        event.preventDefault();
        if (mayGo) submit();
      }}
      onKeyDown={sendByKey}
    >
      {above}
      <Textarea
        aria-label={label}
        placeholder={label}
        aria-describedby={about}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        // Its owner forgets an answer that is under way where the text changes.
        readOnly={isBusy}
        onChange={event => change(event.currentTarget.value)}
        error={fault && `It ${fault.message}.`}
      />
      {left && <FailureNote failure={left} />}
      <div className={styles.composerFoot}>
        <div id={about} className="quiet">
          {children}
        </div>
        <Button type="submit" loading={isBusy} disabled={!mayGo} title="Ctrl or ⌘ with Enter">
          {button}
        </Button>
      </div>
    </form>
  );
}

/** Ctrl or ⌘ with Enter sends: Enter alone begins a line. */
function sendByKey(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
}
