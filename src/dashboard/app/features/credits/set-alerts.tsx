/** Sets the threshold of a low balance, and the cap of a day. */
import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type CreditsQuery, UpdateBillingDocument } from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/session/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. */
export function SetAlerts({
  balance,
  close,
}: {
  readonly balance: CreditsQuery['balance'];
  readonly close: () => void;
}): ReactNode {
  const accountId = useAccountId();
  const update = useChange(UpdateBillingDocument);
  const numberOf = (text: string | undefined): number | null => (text ? Number(text) : null);
  return (
    <FormDialog
      title="Set alerts"
      button="Save alerts"
      failure={update.error}
      fields={['lowBalanceThreshold', 'dailySpendCap']}
      isBusy={update.isPending}
      close={close}
      submit={fields => {
        const [threshold, cap] = [numberOf(fields.lowBalanceThreshold), numberOf(fields.dailySpendCap)];
        update.mutate(
          { input: { accountId, lowBalanceThreshold: threshold, dailySpendCap: cap } },
          { onSuccess: close },
        );
      }}
    >
      <NumberInput
        name="lowBalanceThreshold"
        label="The balance is low below"
        description="Credits; empty: no alert"
        defaultValue={balance.lowBalanceThreshold ?? ''}
        hideControls
        allowDecimal={false}
        error={faultAt(update.error, 'lowBalanceThreshold')}
        data-autofocus
      />
      <NumberInput
        name="dailySpendCap"
        label="Sends may cost in a day"
        description="Credits; what would cost more is refused until the next day (UTC). Empty: no cap"
        defaultValue={balance.dailySpendCap ?? ''}
        hideControls
        allowDecimal={false}
        error={faultAt(update.error, 'dailySpendCap')}
      />
    </FormDialog>
  );
}
