/** Sending: looks once more where it would go, asks where that is a real phone, and sends. */
import { useRef, useState } from 'react';
import { ask } from '../../api/ask.ts';
import { useChange } from '../../api/hooks.ts';
import { newReference } from '../../api/new-reference.ts';
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

/** A question before a send: the draft that it is about may be another one than the form has meanwhile. */
interface Asking {
  readonly draft: Draft;
  readonly preview: PreviewFragment;
}

/** How the send stands. */
export interface Sending {
  readonly isBusy: boolean;
  /** Why it was refused; null: it was not. */
  readonly failure: Failure | null;
  /** The send that waits for a confirmation, since it reaches a real phone; null: none waits. */
  readonly asking: Asking | null;
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
  const [asking, setAsking] = useState<Asking | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  // A draft that is sent again, as no answer came, is the same request.
  const tried = useRef<{ readonly draft: Draft; readonly reference: string } | null>(null);
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
  const send = async (of: Draft): Promise<void> => {
    if (of.kind === 'message') {
      if (tried.current?.draft !== of) tried.current = { draft: of, reference: newReference('send') };
      const { reference } = tried.current;
      const { sendMessage } = await message.mutateAsync({ input: { reference, ...messageInput(of) } });
      tried.current = null;
      setSent({ kind: 'message', id: sendMessage.messageId });
    } else {
      const { sendOtp } = await otp.mutateAsync({ input: otpInput(of) });
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
        if (reachesPhones(preview)) setAsking({ draft, preview });
        else await send(draft);
      }),
    confirm: () => void (asking && attempt(() => send(asking.draft))),
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
