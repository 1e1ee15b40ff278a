/** Takes the second factor of a person away who has lost the phone and the recovery codes. */
import type { ReactNode } from 'react';
import { useChange } from '../../../api/hooks.ts';
import { type PersonFragment, TakeSecondFactorAwayDocument } from '../../../api/operations.generated.ts';
import { Confirm } from '../../../ui/dialogs/confirm.tsx';

/** The question. */
export function TakeFactorAway({
  person: { userId, email },
  close,
}: {
  readonly person: PersonFragment;
  readonly close: () => void;
}): ReactNode {
  const take = useChange(TakeSecondFactorAwayDocument);
  return (
    <Confirm
      title={`Take the second factor of ${email} away`}
      button="Take it away"
      failure={take.error}
      isBusy={take.isPending}
      close={close}
      confirm={() => take.mutate({ userId }, { onSuccess: close })}
    >
      The password alone signs this person in from then on. Be sure who asks for it. The person is signed out
      everywhere.
    </Confirm>
  );
}
