/** Gives credits or takes them away. */
import { NumberInput, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { newReference } from '../../api/new-reference.ts';
import { AdjustBalanceDocument } from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/session/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. Trying it again books it once: it keeps its reference. */
export function AdjustBalance({ close }: { readonly close: () => void }): ReactNode {
  const accountId = useAccountId();
  const adjust = useChange(AdjustBalanceDocument);
  const [made] = useState(() => newReference('dashboard'));
  return (
    <FormDialog
      title="Adjust balance"
      button="Adjust balance"
      failure={adjust.error}
      fields={['credits', 'reason', 'reference']}
      isBusy={adjust.isPending}
      close={close}
      submit={({ credits, reason = '', reference = '' }) =>
        adjust.mutate(
          { input: { accountId, credits: Number(credits), reason, reference: reference.trim() || made } },
          { onSuccess: close },
        )
      }
    >
      <NumberInput
        name="credits"
        label="Credits"
        description="Below 0: taken away"
        required
        hideControls
        allowDecimal={false}
        error={faultAt(adjust.error, 'credits')}
        data-autofocus
      />
      <TextInput
        name="reason"
        label="Reason"
        description="The account sees it in its ledger"
        required
        error={faultAt(adjust.error, 'reason')}
      />
      <TextInput
        name="reference"
        label="Reference"
        description="Of an invoice, for example; each is booked once"
        error={faultAt(adjust.error, 'reference')}
      />
    </FormDialog>
  );
}
