/** Sets the template by which a cloud number sends passcodes. */
import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type SenderFragment, SetOtpTemplateDocument } from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/session/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { phoneWord } from '../../ui/words.ts';

/** The dialog. An empty name takes the template away. */
export function SetTemplate({
  sender,
  close,
}: {
  readonly sender: SenderFragment;
  readonly close: () => void;
}): ReactNode {
  const accountId = useAccountId();
  const set = useChange(SetOtpTemplateDocument);
  return (
    <FormDialog
      title={`Template of ${phoneWord(sender.name)}`}
      button="Save template"
      failure={set.error}
      fields={['name', 'language']}
      isBusy={set.isPending}
      close={close}
      submit={({ name = '', language = '' }) => {
        const template = name.trim() === '' ? { name: null } : { name: name.trim(), language: language.trim() };
        set.mutate({ input: { accountId, address: sender.name, ...template } }, { onSuccess: close });
      }}
    >
      <TextInput
        name="name"
        label="Template"
        description="As it is approved for this number; empty takes the template away"
        defaultValue={sender.otpTemplate?.name ?? ''}
        error={faultAt(set.error, 'name')}
        data-autofocus
      />
      <TextInput
        name="language"
        label="Language"
        placeholder="en_US"
        defaultValue={sender.otpTemplate?.language ?? ''}
        error={faultAt(set.error, 'language')}
      />
    </FormDialog>
  );
}
