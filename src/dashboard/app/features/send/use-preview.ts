/** The preview of a draft, its route and its cost, asked for while it is written. */
import { useDebouncedValue } from '@mantine/hooks';
import { useAnswer } from '../../api/hooks.ts';
import { type PreviewFragment, PreviewOtpDocument, PreviewSendDocument } from '../../api/operations.generated.ts';
import type { Failure } from '../../ui/failure.ts';
import { type Draft, messageInput, otpInput } from './draft.ts';

/** How long it waits for more keys, in milliseconds. */
const ASKS_AFTER_MS = 200;

/** A number of the sandbox: a text is as long to anybody. */
const ANYBODY = '+12025550100';

/** The preview of a draft, or its refusal. */
export interface PreviewState {
  /** Null: it is not asked yet, or was refused. */
  readonly preview: PreviewFragment | null;
  /** Whether the preview is of the number that was given. Without one the text is counted all the same. */
  readonly isAddressed: boolean;
  /** Why the gateway would refuse it; null: it would not. */
  readonly failure: Failure | null;
}

/** Previews a draft as it is; a question that is overtaken is given up. */
export function usePreview(draft: Draft): PreviewState {
  const [settled] = useDebouncedValue(draft, ASKS_AFTER_MS);
  const isAddressed = settled.to.trim() !== '';
  const addressed = isAddressed ? settled : { ...settled, to: ANYBODY };
  const isMessage = settled.kind === 'message';
  const hasChannels = settled.channels.length > 0;
  const { reference: _, ...input } = messageInput(addressed);
  const message = useAnswer(
    PreviewSendDocument,
    { input },
    { enabled: isMessage && settled.text !== '' && hasChannels },
  );
  const otp = useAnswer(PreviewOtpDocument, { input: otpInput(addressed) }, { enabled: !isMessage && hasChannels });
  const { data, error } = isMessage ? message : otp;
  const isEmpty = !hasChannels || (isMessage && settled.text === '');
  return {
    preview: isEmpty || error ? null : (data?.preview ?? null),
    isAddressed,
    failure: isEmpty ? null : error,
  };
}
