/** Adds a sender, which then waits for approval. */
import { Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { DEFAULT_CHANNEL } from '../../api/channels.generated.ts';
import { channelWord, LISTED_CHANNELS } from '../../api/channels.ts';
import { useChange } from '../../api/hooks.ts';
import { AddSenderDocument, type Channel } from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/session/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. */
export function AddSender({ close }: { readonly close: () => void }): ReactNode {
  const accountId = useAccountId();
  const add = useChange(AddSenderDocument);
  return (
    <FormDialog
      title="Add sender"
      button="Add sender"
      failure={add.error}
      fields={['name', 'channel']}
      isBusy={add.isPending}
      close={close}
      submit={({ name = '', channel }) =>
        add.mutate({ input: { accountId, name: name.trim(), channel: channel as Channel } }, { onSuccess: close })
      }
    >
      <Select
        name="channel"
        label="Channel"
        data={LISTED_CHANNELS.map(value => ({ value, label: channelWord(value) }))}
        defaultValue={DEFAULT_CHANNEL}
        allowDeselect={false}
        error={faultAt(add.error, 'channel')}
      />
      <TextInput
        name="name"
        label="Name or number"
        description="An SMS name has 1 to 11 letters, digits or spaces; a number has its country code"
        required
        error={faultAt(add.error, 'name')}
        data-autofocus
      />
    </FormDialog>
  );
}
