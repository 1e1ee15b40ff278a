/** Deletes a rule after saying what stops. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { DeleteAlertRuleDocument } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';
import { type Rule, ruleWord } from './rule-words.ts';

/** The question. */
export function DeleteRule({ rule, close }: { readonly rule: Rule; readonly close: () => void }): ReactNode {
  const remove = useChange(DeleteAlertRuleDocument);
  return (
    <Confirm
      title="Delete the rule"
      button="Delete rule"
      failure={remove.error}
      isBusy={remove.isPending}
      close={close}
      confirm={() => remove.mutate({ ruleId: rule.id }, { onSuccess: close })}
    >
      {ruleWord(rule)}: nobody is told of it any more. What was told stays in the list.
    </Confirm>
  );
}
