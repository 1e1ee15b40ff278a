/** Which texts were read: how many each phone had when it was looked at last, kept in this browser. */
import { useLocalStorage } from '@mantine/hooks';
import { useCallback } from 'react';
import { useViewer } from './session.tsx';

/** How many phones are remembered: those that were looked at last. */
const REMEMBERED = 200;

/** A phone as it is now. */
interface Counted {
  readonly number: string;
  readonly count: number;
  readonly last: { readonly id: string };
}

/** What a phone had, by its number. */
type Seen = Readonly<Record<string, { readonly count: number; readonly last: string }>>;

function useStored() {
  const { account } = useViewer();
  return useLocalStorage<Seen>({
    key: `inbox-seen:${account?.accountId ?? ''}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
}

/** Whether a text of any phone was read in this browser. */
export function useHasRead(): boolean {
  const [seen] = useStored();
  return Object.keys(seen).length > 0;
}

/** How many texts of a phone are unread, and what takes all that it has as read. */
export function useSeen(phones: readonly Counted[]): [(number: string) => number, (number: string) => void] {
  const [seen, setSeen] = useStored();
  const unreadOf = (number: string): number => {
    const phone = phones.find(one => one.number === number);
    const before = seen[number];
    if (!phone || phone.last.id === before?.last) return 0;
    // Old texts go, so that a phone with new ones may have fewer.
    return Math.max(1, phone.count - (before?.count ?? 0));
  };
  const markSeen = useCallback(
    (number: string): void => {
      const phone = phones.find(one => one.number === number);
      if (!phone) return;
      setSeen(before => {
        if (before[number]?.last === phone.last.id) return before;
        const { [number]: _, ...others } = before;
        const now = { count: phone.count, last: phone.last.id };
        return Object.fromEntries([...Object.entries(others), [number, now] as const].slice(-REMEMBERED));
      });
    },
    [phones, setSeen],
  );
  return [unreadOf, markSeen];
}
