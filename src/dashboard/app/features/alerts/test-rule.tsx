/** Tells a sample of a rule by all of its ways, and says what was answered. */
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { TestAlertRuleDocument, type TestAlertRuleMutation } from '../../api/operations.generated.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { type Fact, Facts } from '../../ui/facts/facts.tsx';
import { Status } from '../../ui/status.tsx';
import { type Rule, ruleWord } from './rule-words.ts';

/** The dialog. */
export function TestRule({ rule, close }: { readonly rule: Rule; readonly close: () => void }): ReactNode {
  const test = useChange(TestAlertRuleDocument);
  const made = test.data?.testAlertRule;
  return (
    <FormDialog
      title="Send a test"
      button={made ? 'Send another' : 'Send test'}
      failure={test.error}
      isBusy={test.isPending}
      close={close}
      submit={() => test.mutate({ ruleId: rule.id })}
    >
      <div>
        {ruleWord(rule)}: a sample goes to {[...rule.mail, rule.slackHost].filter(Boolean).map(to => `${to}, `)}and as{' '}
        <code>alert.raised</code> to the webhook endpoints that get it. It says that nothing is wrong.
      </div>
      <div role="status">{made && <Outcome made={made} />}</div>
    </FormDialog>
  );
}

function Outcome({ made }: { readonly made: TestAlertRuleMutation['testAlertRule'] }): ReactNode {
  const facts: Fact[] = [
    { name: 'Told', value: made.text },
    ...made.sends.map(({ target, error }) => ({ name: target, value: <Taken error={error} /> })),
    ...made.tries.map(({ endpointId, httpStatus, error, errorMessage }) => ({
      name: `Endpoint ${endpointId.slice(-6)}`,
      value: (
        <Taken error={error && (errorMessage ?? error)} word={httpStatus === null ? null : `HTTP ${httpStatus}`} />
      ),
    })),
    ...(made.tries.length === 0
      ? [{ name: 'Webhooks', value: <span className="quiet">no endpoint gets it</span> }]
      : []),
  ];
  return <Facts facts={facts} />;
}

function Taken({ error, word = null }: { readonly error: string | null; readonly word?: string | null }): ReactNode {
  if (error === null) return <Status status="SENT" word={word ?? 'taken'} />;
  return (
    <>
      <Status status="FAILED" word={word ?? 'not taken'} /> <span className="quiet">{error}</span>
    </>
  );
}
