/** How many texts of the sandbox are unread, for the navigation: as many as the phones of the inbox have together. */
import { useThrottledCallback } from '@mantine/hooks';
import { useLocation } from 'react-router';
import { useAnswer, useFeed } from '../api/hooks.ts';
import { InboxPhonesDocument, TextAddedDocument } from '../api/operations.generated.ts';
import { useRights, useViewer } from './session.tsx';
import { useSeen } from './use-seen.ts';

/** How often the phones are asked for while much is told, in milliseconds. */
const ASKED_EACH_MS = 2_000;

/** How many texts came that were not looked at in this browser, kept up while the page is visible; 0 where there is no sandbox. */
export function useUnread(): number {
  const { account } = useViewer();
  const mayRead = useRights().may('CODES') && account !== null;
  const { data, isError, refetch } = useAnswer(InboxPhonesDocument, {}, { enabled: mayRead });
  const [unreadOf] = useSeen(data?.sandboxPhones ?? []);
  // Browsers hold few connections to a host, and the inbox follows by itself.
  const isInbox = /^\/inbox(\/|$)/.test(useLocation().pathname);
  const askAnew = useThrottledCallback(() => void refetch(), ASKED_EACH_MS);
  useFeed(TextAddedDocument, {}, { renew: askAnew, isOn: mayRead && !isError && !isInbox });
  return (data?.sandboxPhones ?? []).reduce((total, { number }) => total + unreadOf(number), 0);
}
