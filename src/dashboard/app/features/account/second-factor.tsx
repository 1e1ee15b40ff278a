/** One's own second factor: whether it is on, and how to change that. */
import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useChange, useSecret } from '../../api/hooks.ts';
import { RenewRecoveryCodesDocument, TurnOffSecondFactorDocument } from '../../api/operations.generated.ts';
import { useViewer } from '../../frame/session/session.tsx';
import { RecoveryCodes } from '../../ui/copy/recovery-codes.tsx';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { counted } from '../../ui/words.ts';

/** The section; nothing for the operator, who has no password either. */
export function SecondFactor(): ReactNode {
  const factor = useViewer().secondFactor;
  const [params, change] = useUrlState();
  if (!factor) return null;
  const close = (): void => change({ act: null });
  return (
    <Section
      title="Second factor"
      actions={
        factor.since === null ? (
          <Button variant="default" component={Link} to="/second-factor#next=/account">
            Turn on
          </Button>
        ) : (
          <>
            <Button variant="default" onClick={() => change({ act: 'codes' })}>
              New recovery codes
            </Button>
            <Button variant="default" onClick={() => change({ act: 'factor-off' })}>
              Turn off
            </Button>
          </>
        )
      }
    >
      {factor.since === null ? (
        <p className="quiet">Only your password protects your sign-in. An app on your phone can add a code to it.</p>
      ) : (
        <p>
          <Status status="ACTIVE" word="on" /> <span className="quiet">since</span> <Time at={factor.since} isMoment />{' '}
          <span className="quiet">· {counted(factor.recoveryCodesLeft, 'recovery code')} left</span>
        </p>
      )}
      {factor.since !== null && params.get('act') === 'factor-off' && <TurnOff close={close} />}
      {factor.since !== null && params.get('act') === 'codes' && <NewCodes close={close} />}
    </Section>
  );
}

function TurnOff({ close }: { readonly close: () => void }): ReactNode {
  const turnOff = useChange(TurnOffSecondFactorDocument);
  return (
    <FormDialog
      title="Turn the second factor off"
      button="Turn off"
      failure={turnOff.error}
      isBusy={turnOff.isPending}
      isDangerous
      close={close}
      submit={({ password = '', code = '' }) => turnOff.mutate({ input: { password, code } }, { onSuccess: close })}
    >
      <Proof />
    </FormDialog>
  );
}

function NewCodes({ close }: { readonly close: () => void }): ReactNode {
  const renew = useSecret(RenewRecoveryCodesDocument);
  if (renew.data) {
    return (
      <Modal opened onClose={close} title="New recovery codes" closeOnClickOutside={false} closeOnEscape={false}>
        <RecoveryCodes codes={renew.data.renewRecoveryCodes.codes} />
        <Button mt="sm" fullWidth onClick={close}>
          I have kept them
        </Button>
      </Modal>
    );
  }
  return (
    <FormDialog
      title="New recovery codes"
      button="Make new codes"
      failure={renew.error}
      isBusy={renew.isPending}
      close={close}
      submit={({ password = '', code = '' }) => renew.mutate({ input: { password, code } })}
    >
      <div>The codes that you have now stop working.</div>
      <Proof />
    </FormDialog>
  );
}

/** The inputs that prove a person: password and code. */
function Proof(): ReactNode {
  return (
    <>
      <PasswordInput name="password" label="Your password" autoComplete="current-password" required data-autofocus />
      <TextInput name="code" label="Code" description="Of the app, or a recovery code" autoComplete="off" required />
    </>
  );
}
