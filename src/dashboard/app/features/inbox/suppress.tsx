/** Puts a person onto the list of those who get no messages, and takes them off. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { SuppressDocument, UnsuppressDocument } from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { nameOf, type Person } from './words.ts';

interface Asked {
  readonly person: Person;
  readonly close: () => void;
}

/** Asks before nothing goes to a person any more. */
export function Suppress({ person, close }: Asked): ReactNode {
  const suppress = useChange(SuppressDocument);
  return (
    <FormDialog
      title={`Suppress ${nameOf(person)}`}
      button="Suppress"
      failure={suppress.error}
      fields={['reason']}
      isBusy={suppress.isPending}
      isDangerous
      close={close}
      submit={({ reason = '' }) =>
        suppress.mutate(
          { input: { to: person.to, ...(reason.trim() !== '' && { reason: reason.trim() }) } },
          { onSuccess: close },
        )
      }
    >
      <p style={{ margin: 0 }}>
        Messages of the account go to them over no channel any more, until somebody here takes them off the list.
        Passcodes still go, since the person asks for those.
      </p>
      <TextInput
        name="reason"
        label="Reason"
        description="Optional, for those who read the list."
        autoComplete="off"
        error={faultAt(suppress.error, 'reason')}
        data-autofocus
      />
    </FormDialog>
  );
}

/** Asks before messages go again to a person, who may have stopped them. */
export function TakeOff({ person, close }: Asked): ReactNode {
  const unsuppress = useChange(UnsuppressDocument);
  return (
    <FormDialog
      title={`Take ${nameOf(person)} off the list`}
      button="Take off the list"
      failure={unsuppress.error}
      isBusy={unsuppress.isPending}
      close={close}
      submit={() => unsuppress.mutate({ to: person.to }, { onSuccess: close })}
    >
      <p style={{ margin: 0 }}>
        Messages go to them again.
        {person.suppression?.origin === 'RECIPIENT' &&
          ' They asked for no more themselves: take them off only where they have asked for messages since.'}
      </p>
    </FormDialog>
  );
}
