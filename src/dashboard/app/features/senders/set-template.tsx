/** Sets the template by which a cloud number sends passcodes. */
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type SenderFragment, SetOtpTemplateDocument } from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/session/whose.ts';
import { TemplateInputs, type TemplateKey } from '../../frame/template/template-inputs.tsx';
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
  const { name = '', language = '' } = sender.otpTemplate ?? {};
  const [template, setTemplate] = useState<TemplateKey>({ name, language });
  return (
    <FormDialog
      title={`Template of ${phoneWord(sender.name)}`}
      button="Save template"
      failure={set.error}
      fields={['name', 'language']}
      isBusy={set.isPending}
      close={close}
      submit={() => {
        const given = template.name === '' ? { name: null } : template;
        set.mutate({ input: { accountId, address: sender.name, ...given } }, { onSuccess: close });
      }}
    >
      <TemplateInputs
        value={template}
        change={parts => setTemplate(before => ({ ...before, ...parts }))}
        isForCodes
        name={{
          description: 'As it is approved for this number; empty takes the template away',
          error: faultAt(set.error, 'name'),
          'data-autofocus': true,
        }}
        language={{ error: faultAt(set.error, 'language') }}
      />
    </FormDialog>
  );
}
