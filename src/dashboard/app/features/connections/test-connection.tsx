/** Sends one text by a connection, and says what the provider answered. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import {
  type ConnectionFragment,
  TestConnectionDocument,
  type TestConnectionMutation,
} from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { Facts } from '../../ui/facts/facts.tsx';
import { Status } from '../../ui/status.tsx';
import { duration } from '../../ui/times.tsx';

/** The dialog. */
export function TestConnection({
  connection: { connectionId, name },
  close,
}: {
  readonly connection: ConnectionFragment;
  readonly close: () => void;
}): ReactNode {
  const test = useChange(TestConnectionDocument);
  return (
    <FormDialog
      title={`Send me one by ${name}`}
      button={test.data ? 'Send another' : 'Send'}
      failure={test.error}
      fields={['to', 'text', 'from']}
      isBusy={test.isPending}
      close={close}
      submit={({ to = '', text = '', from = '' }) => test.mutate({ connectionId, to, text, from: from.trim() || null })}
    >
      <TextInput
        name="to"
        label="Number"
        placeholder="+12025550100"
        description="It costs no credits here, and is not logged; the provider may charge for it"
        required
        error={faultAt(test.error, 'to')}
        data-autofocus
      />
      <TextInput
        name="text"
        label="Text"
        defaultValue="A test of Heliograph"
        required
        error={faultAt(test.error, 'text')}
      />
      <TextInput
        name="from"
        label="Sender"
        description="Empty: the provider chooses"
        error={faultAt(test.error, 'from')}
      />
      {test.data && <Outcome test={test.data.testConnection} />}
    </FormDialog>
  );
}

function Outcome({ test }: { readonly test: TestConnectionMutation['testConnection'] }): ReactNode {
  const { outcome, milliseconds, providerMessageId, code, message } = test;
  return (
    <div role="status">
      <Facts
        facts={[
          { name: 'Outcome', value: <Status status={outcome} /> },
          { name: 'Took', value: duration(milliseconds) },
          ...(providerMessageId ? [{ name: 'Id at the provider', value: <code>{providerMessageId}</code> }] : []),
          ...(code ? [{ name: 'Code', value: <code>{code}</code> }] : []),
          ...(message ? [{ name: 'Why', value: message }] : []),
        ]}
      />
    </div>
  );
}
