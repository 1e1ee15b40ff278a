/** Sending: looks once more where it would go, asks where that is a real phone, and sends. */
import { useState } from 'react';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/hooks.ts';
import {
  type PreviewFragment,
  PreviewOtpDocument,
  PreviewSendDocument,
  SendMessageDocument,
  SendOtpDocument,
} from '../../api/operations.generated.ts';
import { Failure } from '../../ui/failure.ts';
import { type Draft, type Kind, messageInput, otpInput } from './draft.ts';

/** The message or passcode that was sent. */
export interface Sent {
  readonly kind: Kind;
  /** `msg_…` or `pin_…`. */
  readonly id: string;
}

/** How the send stands. */
export interface Sending {
  readonly isBusy: boolean;
  /** Why it was refused; null: it was not. */
  readonly failure: Failure | null;
  /** The preview of a send that waits for a confirmation, since it reaches a real phone; null: none waits. */
  readonly asking: PreviewFragment | null;
  readonly sent: Sent | null;
  /** Sends, or asks before it. */
  readonly start: () => void;
  readonly confirm: () => void;
  readonly cancel: () => void;
  /** Forgets the refusal: the draft was changed. */
  readonly forget: () => void;
}

/** Sends a draft. */
export function useSending(draft: Draft): Sending {
  const message = useChange(SendMessageDocument);
  const otp = useChange(SendOtpDocument);
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [asking, setAsking] = useState<PreviewFragment | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setFailure(null);
    setAsking(null);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const send = async (): Promise<void> => {
    if (draft.kind === 'message') {
      const { sendMessage } = await message.mutateAsync({ input: messageInput(draft) });
      setSent({ kind: 'message', id: sendMessage.messageId });
    } else {
      const { sendOtp } = await otp.mutateAsync({ input: otpInput(draft) });
      setSent({ kind: 'otp', id: sendOtp.pinId });
    }
  };
  return {
    isBusy,
    failure,
    asking,
    sent,
    start: () =>
      void attempt(async () => {
        const preview = await previewOf(draft);
        if (reachesPhones(preview)) setAsking(preview);
        else await send();
      }),
    confirm: () => void attempt(send),
    cancel: () => setAsking(null),
    forget: () => setFailure(null),
  };
}

async function previewOf(draft: Draft): Promise<PreviewFragment> {
  if (draft.kind === 'otp') return (await ask(PreviewOtpDocument, { input: otpInput(draft) })).preview;
  return (await ask(PreviewSendDocument, { input: messageInput(draft) })).preview;
}

/** Whether a provider that is connected would be asked: the sandbox reaches nobody. */
function reachesPhones({ legs }: PreviewFragment): boolean {
  return legs.some(({ sentBy }) => sentBy === 'ACCOUNT' || sentBy === 'SHARED');
}
