/** Changes plan, rate limit, encoding and fallback in time of the account. */
import { NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type AccountPageQuery, type SuccessStatus, UpdateAccountDocument } from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. */
export function PlanForm({
  account: { accountId, unifiedApi, planExpiresAt, rateLimit, smartEncoding, fallbackAfter, successStatus },
  close,
}: {
  readonly account: AccountPageQuery['account'];
  readonly close: () => void;
}): ReactNode {
  const update = useChange(UpdateAccountDocument);
  return (
    <FormDialog
      title="Change plan"
      button="Save plan"
      failure={update.error}
      fields={['planExpiresAt', 'rateLimit', 'fallbackAfter']}
      isBusy={update.isPending}
      close={close}
      submit={fields => {
        const end = fields.planExpiresAt;
        // A day that was not touched keeps its hour.
        const isSame = end === planExpiresAt?.slice(0, 10);
        const input = {
          accountId,
          unifiedApi: fields.unifiedApi !== undefined,
          smartEncoding: fields.smartEncoding !== undefined,
          rateLimit: fields.rateLimit ? Number(fields.rateLimit) : null,
          fallbackAfter: fields.fallbackAfter ? Number(fields.fallbackAfter) : null,
          successStatus: fields.successStatus as SuccessStatus,
          ...(!isSame && { planExpiresAt: end ? `${end}T00:00:00.000Z` : null }),
        };
        update.mutate({ input }, { onSuccess: close });
      }}
    >
      <Switch name="unifiedApi" label="Unified API" defaultChecked={unifiedApi} data-autofocus />
      <TextInput
        name="planExpiresAt"
        type="date"
        label="The plan ends on"
        description="At the beginning of the day (UTC); empty: never"
        defaultValue={planExpiresAt?.slice(0, 10) ?? ''}
        error={faultAt(update.error, 'planExpiresAt')}
      />
      <NumberInput
        name="rateLimit"
        label="Requests per second of a token"
        description="Empty: no limit"
        defaultValue={rateLimit ?? ''}
        hideControls
        allowDecimal={false}
        error={faultAt(update.error, 'rateLimit')}
      />
      <Switch name="smartEncoding" label="Smart encoding" defaultChecked={smartEncoding} />
      <NumberInput
        name="fallbackAfter"
        label="The next channel follows after"
        description="Seconds, 15 to 3600, after a channel accepted the text; empty: then no other channel is used"
        defaultValue={fallbackAfter ?? ''}
        hideControls
        allowDecimal={false}
        error={faultAt(update.error, 'fallbackAfter')}
      />
      <NativeSelect
        name="successStatus"
        label="Unless the text was"
        data={[
          { value: 'DELIVERED', label: 'delivered' },
          { value: 'READ', label: 'read' },
        ]}
        defaultValue={successStatus}
      />
    </FormDialog>
  );
}
