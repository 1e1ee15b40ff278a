/** Whether accepted requests are kept, too. */
import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnswer, useChange } from '../../api/hooks.ts';
import { KeepAcceptedRequestsDocument, RequestLogKeepsDocument } from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { FailureNote } from '../../ui/feedback.tsx';

/** The switch; disabled for people without the right to change it. */
export function KeepsAccepted(): ReactNode {
  const { mayChange } = useRights();
  const asked = useAskedAccount();
  const { data } = useAnswer(RequestLogKeepsDocument, {});
  const keep = useChange(KeepAcceptedRequestsDocument);
  if (!data) return null;
  return (
    <>
      <Switch
        label="Keep accepted requests too"
        checked={data.account.logsAccepted}
        disabled={!mayChange || keep.isPending}
        onChange={event => keep.mutate({ input: { ...asked, accepted: event.currentTarget.checked } })}
      />
      {keep.error && <FailureNote failure={keep.error} />}
    </>
  );
}
