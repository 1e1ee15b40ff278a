/** The draft of the page: it follows the keys at once, and the URL follows it. */
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { type Draft, readDraft, type Sender, writeDraft } from './draft.ts';

/** How long the URL waits for more keys, in milliseconds: browsers let a page change it only so often. */
const URL_AFTER_MS = 300;

/** The draft, and what changes parts of it. */
export function useDraft(senders: readonly Sender[]): [Draft, (change: Partial<Draft>) => void] {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState(() => readDraft(params, senders));
  const written = useRef(params.toString());
  const write = useDebouncedCallback((next: Draft) => {
    const search = writeDraft(next);
    written.current = search.toString();
    setParams(search, { replace: true });
  }, URL_AFTER_MS);
  // Somebody else led here with another draft: the palette, or the way back.
  useEffect(() => {
    if (params.toString() === written.current) return;
    written.current = params.toString();
    setDraft(readDraft(params, senders));
  }, [params, senders]);
  const change = (parts: Partial<Draft>): void => {
    const next = { ...draft, ...parts };
    setDraft(next);
    write(next);
  };
  return [draft, change];
}
