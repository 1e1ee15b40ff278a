/** How many texts came to the sandbox since the inbox was visited, for the navigation. */
import { useThrottledCallback } from '@mantine/hooks';
import { useLocation } from 'react-router';
import { useAnswer, useFeed } from '../api/hooks.ts';
import { InboxPhonesDocument, TextAddedDocument } from '../api/operations.generated.ts';
import { useRights, useViewer } from './session.tsx';
import { useVisited } from './use-seen.ts';

/** How often the phones are asked for while much is told, in milliseconds. */
const ASKED_EACH_MS = 2_000;

const NONE: readonly never[] = [];

/** How many texts came since the inbox was visited in this browser, kept up while the page is visible; 0 in the inbox, and where there is no sandbox. */
export function useUnread(): number {
  const { account } = useViewer();
  const mayRead = useRights().may('CODES') && account !== null;
  const { data, isError, refetch } = useAnswer(InboxPhonesDocument, {}, { enabled: mayRead });
  const [came] = useVisited(data?.sandboxPhones ?? NONE);
  // Browsers hold few connections to a host, and the inbox follows by itself.
  const isInbox = /^\/inbox(\/|$)/.test(useLocation().pathname);
  const askAnew = useThrottledCallback(() => void refetch(), ASKED_EACH_MS);
  useFeed(TextAddedDocument, {}, { renew: askAnew, isOn: mayRead && !isError && !isInbox });
  return isInbox ? 0 : came;
}
