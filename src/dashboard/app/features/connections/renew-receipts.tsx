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
      What is reported to the present address is refused from then on, for messages that are on their way, too. Tell the
      provider the new one where it is set there.
    </Confirm>
  );
}
