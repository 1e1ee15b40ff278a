/** Whether everybody of the account must have a second factor. */
import { Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnswer, useChange } from '../../../api/hooks.ts';
import { RequireSecondFactorDocument, SecondFactorRuleDocument } from '../../../api/operations.generated.ts';
import { FailureNote } from '../../../ui/feedback.tsx';

/** The switch. */
export function FactorRule(): ReactNode {
  const { data } = useAnswer(SecondFactorRuleDocument, {});
  const change = useChange(RequireSecondFactorDocument);
  if (!data) return null;
  const { accountId, secondFactorRequired } = data.account;
  return (
    <>
      <Switch
        mb="lg"
        label="Everybody must have a second factor"
        description="Whoever signs in by password without one can do nothing else until it is turned on. That includes you."
        checked={secondFactorRequired}
        disabled={change.isPending}
        onChange={event => change.mutate({ input: { accountId, isRequired: event.currentTarget.checked } })}
      />
      {change.error && <FailureNote failure={change.error} />}
    </>
  );
}
