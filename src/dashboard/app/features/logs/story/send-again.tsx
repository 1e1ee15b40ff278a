/** Sends again what was sent: to the same recipient, without a word changed. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { CHANNEL_FACTS } from '../../../api/channels.generated.ts';
import { channelWord } from '../../../api/channels.ts';
import { useChange } from '../../../api/hooks.ts';
import { newReference } from '../../../api/new-reference.ts';
import {
  type Channel,
  ResendLoggedOtpDocument,
  ResendMessageDocument,
  type Status,
} from '../../../api/operations.generated.ts';
import { useRights } from '../../../frame/session/session.tsx';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { FailureNote } from '../../../ui/feedback.tsx';
import { sendLink } from '../../../ui/send-link.ts';
import { useUrlState } from '../../../ui/url-state.ts';
import { counted, isNumber, phoneWord } from '../../../ui/words.ts';

/** A message that can be sent again. */
interface Resendable {
  readonly messageId: string;
  readonly status: Status;
  readonly recipient: string;
  readonly text: string;
  readonly segments: number;
  readonly channels: readonly Channel[];
}

/** The button of a message, and the question behind it, which links lead to as well. */
export function SendAgain({ message }: { readonly message: Resendable }): ReactNode {
  const [params, change] = useUrlState();
  return (
    <>
      <Button variant="default" onClick={() => change({ again: '1' })}>
        Send again
      </Button>
      {params.has('again') && <Question message={message} close={() => change({ again: null })} />}
    </>
  );
}

function Question({ message, close }: { readonly message: Resendable; readonly close: () => void }): ReactNode {
  const { messageId, status, recipient, text, segments, channels } = message;
  const paid = channels.find(channel => CHANNEL_FACTS[channel].isPaid);
  const resend = useChange(ResendMessageDocument);
  const [, change] = useUrlState();
  const { may } = useRights();
  // A second click is the same request.
  const [reference] = useState(() => newReference('resend'));
  return (
    <FormDialog
      title="Send again"
      button="Send again"
      failure={resend.error}
      isBusy={resend.isPending}
      close={close}
      submit={() =>
        resend.mutate(
          { input: { messageId, reference } },
          { onSuccess: ({ resendMessage }) => change({ open: resendMessage.messageId, again: null }) },
        )
      }
    >
      <p style={{ margin: 0 }}>
        {HAS_ARRIVED[status]}The same text goes to {phoneWord(recipient)} once more, as a message of its own.
        {paid && ` By ${channelWord(paid)} it costs up to ${counted(segments, 'credit')}.`} The audit trail has who sent
        it again.{' '}
        {may('SEND') && isNumber(recipient) && (
          <Link to={sendLink({ to: `+${recipient}`, text, channels: channels.join(',') })}>Change it first</Link>
        )}
      </p>
    </FormDialog>
  );
}

/** Said first of what has not failed: one of its attempts may have. */
const HAS_ARRIVED: Readonly<Partial<Record<Status, string>>> = {
  SENT: 'This message was sent, and may still arrive. ',
  DELIVERED: 'This message was delivered. ',
  READ: 'This message was delivered, and read. ',
  UNKNOWN: 'It is not known whether this message arrived. ',
};

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
