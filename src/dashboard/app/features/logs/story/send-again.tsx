/** Sends again what was sent, for who may do that and no more: to the same recipient, without a word changed. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CHANNEL_FACTS } from '../../../api/channels.generated.ts';
import { channelWord } from '../../../api/channels.ts';
import { useChange } from '../../../api/hooks.ts';
import { type Channel, ResendLoggedOtpDocument, ResendMessageDocument } from '../../../api/operations.generated.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { FailureNote } from '../../../ui/feedback.tsx';
import { useUrlState } from '../../../ui/url-state.ts';
import { counted, phoneWord } from '../../../ui/words.ts';

/** A message that can be sent again. */
interface Resendable {
  readonly messageId: string;
  readonly recipient: string;
  readonly segments: number;
  readonly channels: readonly Channel[];
}

/** The button of a message, and the question behind it. */
export function SendAgain({ message }: { readonly message: Resendable }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Send again
      </Button>
      {isAsking && <Question message={message} close={() => setAsking(false)} />}
    </>
  );
}

function Question({ message, close }: { readonly message: Resendable; readonly close: () => void }): ReactNode {
  const { messageId, recipient, segments, channels } = message;
  const paid = channels.find(channel => CHANNEL_FACTS[channel].isPaid);
  const resend = useChange(ResendMessageDocument);
  const [, change] = useUrlState();
  // A second click is the same request.
  const [reference] = useState(() => `resend-${crypto.randomUUID()}`);
  const open = ({ resendMessage }: { readonly resendMessage: { readonly messageId: string } }): void => {
    close();
    change({ open: resendMessage.messageId });
  };
  return (
    <FormDialog
      title="Send again"
      button="Send again"
      failure={resend.error}
      isBusy={resend.isPending}
      close={close}
      submit={() => resend.mutate({ input: { messageId, reference } }, { onSuccess: open })}
    >
      <p style={{ margin: 0 }}>
        The same text goes to {phoneWord(recipient)} once more, as a message of its own.
        {paid && ` By ${channelWord(paid)} it costs up to ${counted(segments, 'credit')}.`} The audit trail has who sent
        it again.
      </p>
    </FormDialog>
  );
}

/** The button of a passcode: the same code with the same end. */
export function ResendOtp({ pinId }: { readonly pinId: string }): ReactNode {
  const resend = useChange(ResendLoggedOtpDocument);
  return (
    <>
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate({ input: { pinId } })}>
        Send again
      </Button>
      {resend.error && <FailureNote failure={resend.error} />}
    </>
  );
}
