/** Links a number to its phone: the risks are accepted once, then the phone takes a code. */
import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useChange, useFeed } from '../../../api/hooks.ts';
import {
  AcceptChatRisksDocument,
  type ConnectionFragment,
  LinkConnectionDocument,
  type LinkConnectionSubscription,
  type LinkMethod,
} from '../../../api/operations.generated.ts';
import { faultAt } from '../../../ui/dialogs/faults.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { QrPicture } from '../../../ui/qr/qr-picture.tsx';
import styles from './link.module.css';

/** The props of the dialogs. */
interface LinkProps {
  readonly connection: ConnectionFragment;
  readonly close: () => void;
}

/** The dialog. */
export function LinkNumber({ connection, close }: LinkProps): ReactNode {
  return connection.session?.risksAcceptedBy == null ? (
    <AcceptRisks connection={connection} close={close} />
  ) : (
    <TakeCode connection={connection} close={close} />
  );
}

function AcceptRisks({ connection: { connectionId, name }, close }: LinkProps): ReactNode {
  const accept = useChange(AcceptChatRisksDocument);
  return (
    <FormDialog
      title={`Before you link ${name}`}
      button="I accept the risks"
      failure={accept.error}
      fields={['name']}
      isBusy={accept.isPending}
      isDangerous
      close={close}
      submit={({ name: by = '' }) => accept.mutate({ input: { connectionId, name: by } })}
    >
      <p className={styles.text}>
        <strong>WhatsApp may ban this number, for good and without a warning.</strong> A linked number is no official
        API, and is against its terms.
      </p>
      <ul className={styles.text}>
        <li>Use a number that you can lose, never your main one.</li>
        <li>Write only to people who asked for it.</li>
        <li>Never make it the only way of a passcode: let SMS follow.</li>
      </ul>
      <TextInput
        name="name"
        label="Your name"
        description="It is kept in the audit trail"
        required
        error={faultAt(accept.error, 'name')}
        data-autofocus
      />
    </FormDialog>
  );
}

type Step = LinkConnectionSubscription['linkConnection'];

function TakeCode({ connection: { connectionId, name }, close }: LinkProps): ReactNode {
  useOpenDialog();
  const client = useQueryClient();
  const [method, setMethod] = useState<LinkMethod>('QR');
  const [step, setStep] = useState<Step | null>(null);
  const isOver = step !== null && step.state !== 'CODE';
  const feed = useFeed(
    LinkConnectionDocument,
    { connectionId, method },
    {
      renew: () => undefined,
      tell: ({ linkConnection }) => {
        setStep(linkConnection);
        if (linkConnection.state === 'LINKED') void client.invalidateQueries();
      },
      isOn: !isOver,
      // Whoever types a code into the phone that shows this page leaves it for that.
      isKept: true,
    },
  );
  const begin = (how: LinkMethod): void => {
    setStep(null);
    setMethod(how);
  };
  return (
    <Modal opened onClose={close} title={`Link ${name}`}>
      <Stack gap="sm" className={styles.link} aria-live="polite">
        {feed.refused && <FailureNote failure={feed.refused} />}
        {step === null && !feed.refused && <p role="status">Asking WhatsApp for a code …</p>}
        {step?.state === 'CODE' && step.code !== null && (
          <>
            <Code method={method} code={step.code} />
            {step.secondsLeft !== null && <Countdown key={step.code} from={step.secondsLeft} />}
          </>
        )}
        {step?.state === 'LINKED' && <p role="status">The phone is linked. The number sends from now on.</p>}
        {step?.state === 'FAILED' && (
          <p role="alert" className={styles.failed}>
            {step.error}
          </p>
        )}
        <div className={styles.buttons}>
          {!isOver && (
            <Button variant="default" onClick={() => begin(method === 'QR' ? 'PAIRING_CODE' : 'QR')}>
              {method === 'QR' ? 'Type a code instead' : 'Scan a picture instead'}
            </Button>
          )}
          {step?.state === 'FAILED' && <Button onClick={() => begin(method)}>Try again</Button>}
          <Button variant="default" onClick={close}>
            {isOver ? 'Close' : 'Cancel'}
          </Button>
        </div>
      </Stack>
    </Modal>
  );
}

function Code({ method, code }: { readonly method: LinkMethod; readonly code: string }): ReactNode {
  return method === 'QR' ? (
    <>
      <Way last="Point the camera at this code" />
      <div className={styles.picture}>
        <QrPicture text={code} label="QR code that links the phone" />
      </div>
    </>
  ) : (
    <>
      <Way last="Choose Link with phone number instead, and type this code" />
      <p className={styles.picture}>
        <code className={styles.typed}>{code.replaceAll(/(.{4})(?=.)/g, '$1-')}</code>
      </p>
    </>
  );
}

/** The way through the app of the phone. */
function Way({ last }: { readonly last: string }): ReactNode {
  return (
    <ol>
      <li>Open WhatsApp on the phone</li>
      <li>Open Linked devices, and tap Link a device</li>
      <li>{last}</li>
    </ol>
  );
}

/** How long the code is good, by the gateway's clock; another one follows by itself. */
function Countdown({ from }: { readonly from: number }): ReactNode {
  const [endsAtMs] = useState(() => performance.now() + from * 1_000);
  const secondsLeft = (): number => Math.max(0, Math.ceil((endsAtMs - performance.now()) / 1_000));
  const [seconds, setSeconds] = useState(from);
  useEffect(() => {
    const timer = window.setInterval(() => setSeconds(secondsLeft()), 1_000);
    return () => window.clearInterval(timer);
  });
  // Nobody is told of each second.
  return (
    <p className="quiet" role="timer">
      {seconds > 0 ? `A new code in ${seconds} s` : 'A new code is on its way'}
    </p>
  );
}
