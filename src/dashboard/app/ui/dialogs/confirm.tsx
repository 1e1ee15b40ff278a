/** Asks before something is gone, and says what will be. */
import { TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Failure } from '../failure.ts';
import { FormDialog } from './form-dialog.tsx';

/** The question. With `name` it has to be typed first. */
export function Confirm({
  title,
  button,
  name,
  failure,
  isBusy,
  close,
  confirm,
  children,
}: {
  readonly title: string;
  readonly button: string;
  readonly name?: string;
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  readonly close: () => void;
  readonly confirm: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      title={title}
      button={button}
      failure={failure}
      isBusy={isBusy}
      isDangerous
      isReady={name === undefined || typed.trim() === name}
      close={close}
      submit={confirm}
    >
      <div>{children}</div>
      {name !== undefined && (
        <TextInput
          label={`Type ${name} to confirm`}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
      )}
    </FormDialog>
  );
}
