/** Copying, and that it was done. */
import { useTimeout } from '@mantine/hooks';
import { useState } from 'react';
import { copyText } from '../../../copy-text.ts';

/** How long a button says that it has copied, in milliseconds. */
const SAID_MS = 1_500;

/** Copies a text; `copied` is true for a moment after it. */
export function useCopy(): { readonly copied: boolean; readonly copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  const { start } = useTimeout(() => setCopied(false), SAID_MS);
  const copy = (text: string): void => {
    void copyText(text).then(
      () => {
        setCopied(true);
        start();
      },
      // The button goes on to offer it; what is copied is there to be marked by hand.
      () => undefined,
    );
  };
  return { copied, copy };
}
