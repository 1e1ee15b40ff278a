/** A dialog with a form: what it asks for, why it was refused, and its buttons. */
import { Button, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../feedback.tsx';
import styles from './dialogs.module.css';
import { withoutShown } from './faults.ts';
import { useOpenDialog } from './open-dialog.ts';

/** The values of a form by the names of its inputs. */
export type Fields = Readonly<Record<string, string>>;

/** The dialog. `fields` are the inputs that show their own faults. The dialog stays while busy: nobody would be told of its end, and it might be asked for twice. */
export function FormDialog({
  title,
  button,
  failure,
  fields = [],
  isBusy,
  isDangerous = false,
  isReady = true,
  close,
  submit,
  children,
}: {
  readonly title: string;
  readonly button: string;
  readonly failure: Failure | null;
  readonly fields?: readonly string[];
  readonly isBusy: boolean;
  readonly isDangerous?: boolean;
  /** Whether what it asks for is there. */
  readonly isReady?: boolean;
  readonly close: () => void;
  readonly submit: (fields: Fields) => void;
  readonly children: ReactNode;
}): ReactNode {
  useOpenDialog();
  const left = withoutShown(failure, fields);
  return (
    <Modal opened onClose={() => isBusy || close()} title={title}>
      <form
        onSubmit={event => {
          event.preventDefault();
          submit(Object.fromEntries(new FormData(event.currentTarget)) as Fields);
        }}
      >
        <Stack gap="sm">
          {children}
          {left && <FailureNote failure={left} />}
          <div className={styles.buttons}>
            <Button variant="default" disabled={isBusy} onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={isBusy}
              disabled={!isReady}
              {...(isDangerous && { className: styles.danger })}
            >
              {button}
            </Button>
          </div>
        </Stack>
      </form>
    </Modal>
  );
}
