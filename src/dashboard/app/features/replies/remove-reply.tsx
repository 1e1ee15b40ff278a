/** Removes an auto-reply after saying what stops. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type AutoReplyFragment, RemoveAutoReplyDocument } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';

/** The question. */
export function RemoveReply({
  reply: { keyword },
  close,
}: {
  readonly reply: AutoReplyFragment;
  readonly close: () => void;
}): ReactNode {
  const remove = useChange(RemoveAutoReplyDocument);
  return (
    <Confirm
      title={`Remove the answer to ${keyword}`}
      button="Remove answer"
      failure={remove.error}
      isBusy={remove.isPending}
      close={close}
      confirm={() => remove.mutate({ keyword }, { onSuccess: close })}
    >
      Whoever writes {keyword} is no longer answered. What people write still comes in.
    </Confirm>
  );
}
