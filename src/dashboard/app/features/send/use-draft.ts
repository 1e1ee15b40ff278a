/** The draft of the page. The tab keeps it; the URL says its kind and its channels alone. */
import { useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { draftKey } from '../../frame/session/drafts.ts';
import { useViewer } from '../../frame/session/session.tsx';
import { type Draft, keptDraft, linkOf, readDraft, type Sender, tellsTexts } from './draft.ts';

/** The draft, and what changes parts of it. */
export function useDraft(senders: readonly Sender[]): [Draft, (change: Partial<Draft>) => void] {
  const key = useKey();
  const { search, hash } = useLocation();
  const navigate = useNavigate();
  const read = (): Draft => readDraft(partsOf(search, hash), senders, keptDraft(sessionStorage.getItem(key)));
  const [draft, setDraft] = useState(read);
  const shown = useRef<string | null>(null);
  const keep = (next: Draft): void => {
    setDraft(next);
    sessionStorage.setItem(key, JSON.stringify(next));
  };
  const show = (next: Draft): void => {
    const link = `?${linkOf(next)}`;
    if (link === shown.current) return;
    shown.current = link;
    void navigate({ search: link }, { replace: true });
  };
  // Somebody led here with another draft: a link, the palette, or the way back. Its number and its text do not stay in the URL.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what leads here is the address alone
  useEffect(() => {
    if (search + hash === shown.current) return;
    const next = read();
    keep(next);
    // Also where the link of before is the one that is shown next: the address is another one meanwhile.
    shown.current = search + hash;
    if (tellsTexts(partsOf(search, hash))) show(next);
  }, [search, hash]);
  const change = (parts: Partial<Draft>): void => {
    const next = { ...draft, ...parts };
    keep(next);
    show(next);
  };
  return [draft, change];
}

/** The parameters of a URL, before and behind `#`. */
function partsOf(search: string, hash: string): URLSearchParams {
  return new URLSearchParams([...new URLSearchParams(search), ...new URLSearchParams(hash.slice(1))]);
}

/** Each person has a draft for each account. */
function useKey(): string {
  const { account, user } = useViewer();
  return draftKey(account?.accountId, user?.userId);
}
