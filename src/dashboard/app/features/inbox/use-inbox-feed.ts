/** Follows what the inbox shows. */
import { useThrottledCallback } from '@mantine/hooks';
import { keyOf, useAskAnew, useFeed } from '../../api/hooks.ts';
import {
  ConversationDocument,
  InboxLogDocument,
  InboxPeopleDocument,
  InboxPersonDocument,
  SandboxPhonesDocument,
  UnreadPeopleDocument,
} from '../../api/operations.generated.ts';
import type { Failure } from '../../ui/failure.ts';

/** How often is asked while much is told, in milliseconds. */
const ASKED_EACH_MS = 500;

/** Asks anew for what the page and the navigation show. */
const SHOWN = [
  ConversationDocument,
  InboxPeopleDocument,
  InboxPersonDocument,
  SandboxPhonesDocument,
  UnreadPeopleDocument,
] as const;

/** Whether people are searched: a search has many pages, and stands as it was when it was asked for. */
function isSearch(key: readonly unknown[]): boolean {
  return key.some(part => Boolean((part as { filter?: { search?: string } } | null)?.filter?.search));
}

/** Keeps the page up; answers why it cannot. One feed tells of both directions and of receipts: browsers hold few connections to a host. */
export function useInboxFeed(): Failure | null {
  const askAnew = useAskAnew();
  const renew = useThrottledCallback(() => {
    for (const operation of SHOWN)
      void askAnew({
        queryKey: keyOf<unknown, never>(operation),
        predicate: ({ queryKey }) => !isSearch(queryKey),
      });
  }, ASKED_EACH_MS);
  return useFeed(InboxLogDocument, {}, { renew }).refused;
}
