/** Asks before all texts of the phones are gone. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { ClearSandboxDocument } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';

/** The question. */
export function ClearPhones({
  close,
  cleared,
}: {
  readonly close: () => void;
  /** Called when they are gone. */
  readonly cleared: () => void;
}): ReactNode {
  const clear = useChange(ClearSandboxDocument);
  return (
    <Confirm
      title="Clear the phones"
      button="Clear phones"
      failure={clear.error}
      isBusy={clear.isPending}
      close={close}
      confirm={() => clear.mutate({}, { onSuccess: cleared })}
    >
      Every phone of the sandbox loses its texts, for everybody in the account. The log keeps what was sent.
    </Confirm>
  );
}
