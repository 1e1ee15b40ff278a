/** Why nothing of webhooks is shown: a notice where the plan of the account does not have them, else what failed. */
import type { ReactNode } from 'react';
import type { Failure } from '../../ui/failure.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import styles from './webhooks.module.css';

/** The notice to an account without webhooks, by the code of the refusal. */
const BLOCKED: Readonly<Record<string, { title: string; mend: string }>> = {
  UNIFIED_API_DISABLED: {
    title: 'Webhooks need the unified API, which is off for this account',
    mend: 'Ask the operator of this gateway to turn the unified API on. Endpoints are kept, and deliver again from then on.',
  },
  PLAN_EXPIRED: {
    title: 'The plan of this account is over',
    mend: 'Ask the operator of this gateway to renew the plan. Endpoints are kept, and deliver again from then on.',
  },
};

/** Shows a refusal. */
export function Refusal({ failure, retry }: { readonly failure: Failure; readonly retry?: () => void }): ReactNode {
  const blocked = BLOCKED[failure.code];
  if (!blocked) return <FailureNote failure={failure} {...(retry && { retry })} />;
  return (
    <div className={styles.notice} data-meaning="unknown" role="alert">
      <div>
        <strong>{blocked.title}</strong>
        <p>{blocked.mend}</p>
      </div>
    </div>
  );
}
