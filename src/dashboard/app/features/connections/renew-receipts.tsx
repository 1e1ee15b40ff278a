/** Gives a connection another address of receipts, after saying what stops. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type ConnectionFragment, RenewReceiptsUrlDocument } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';

/** The question. */
export function RenewReceipts({
  connection: { connectionId, name },
  close,
}: {
  readonly connection: ConnectionFragment;
  readonly close: () => void;
}): ReactNode {
  const renew = useChange(RenewReceiptsUrlDocument);
  return (
    <Confirm
      title={`Renew the address of ${name}`}
      button="Renew address"
      failure={renew.error}
      isBusy={renew.isPending}
      close={close}
      confirm={() => renew.mutate({ connectionId }, { onSuccess: close })}
    >
      From then on reports to the old address are refused, also those about messages that are on their way. If the
      address is set at the provider, set the new one there.
    </Confirm>
  );
}
