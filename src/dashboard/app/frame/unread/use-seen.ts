/** Counts new texts of the sandbox: of a phone since it was looked at, of all phones since their page was visited. Kept in this browser. */
import { useLocalStorage } from '@mantine/hooks';
import { useCallback } from 'react';
import { useViewer } from '../session/session.tsx';

/** How many phones are remembered: an account keeps as many texts. */
const REMEMBERED = 1_000;

/** A phone as it is now. */
interface Counted {
  readonly number: string;
  readonly count: number;
  readonly last: { readonly id: string };
}

/** A phone as it was when it was looked at. */
interface Had {
  readonly count: number;
  readonly last: string;
}

/** The phones as they were, by their numbers. */
type Seen = Readonly<Record<string, Had>>;

function useStored(name: 'seen' | 'visited') {
  const { account } = useViewer();
  return useLocalStorage<Seen>({
    key: `phones-${name}:${account?.accountId ?? ''}`,
    defaultValue: {},
    getInitialValueInEffect: false,
  });
}

/** How many texts came to a phone since it had what is remembered. */
function cameTo(phone: Counted, before: Had | undefined): number {
  if (phone.last.id === before?.last) return 0;
  // Old texts go, so that a phone with new ones may have fewer.
  return Math.max(1, phone.count - (before?.count ?? 0));
}

const hadOf = ({ count, last }: Counted): Had => ({ count, last: last.id });

/** All phones as they are now; `before` itself where nothing changed. */
function allOf(phones: readonly Counted[], before: Seen): Seen {
  const isSame =
    phones.length === Object.keys(before).length && phones.every(phone => cameTo(phone, before[phone.number]) === 0);
  return isSame ? before : Object.fromEntries(phones.map(phone => [phone.number, hadOf(phone)]));
}

/** Whether a text of any phone was read in this browser. */
export function useHasRead(): boolean {
  const [seen] = useStored('seen');
  return Object.keys(seen).length > 0;
}

/** The unread texts of phones, and how to mark them as read. */
export interface Reading {
  /** How many texts of a phone are unread. */
  readonly unreadOf: (phone: Counted) => number;
  /** Takes all that a phone has as read. */
  readonly markSeen: (number: string) => void;
  /** Takes all that the phones have as read. */
  readonly markAllSeen: () => void;
}

/** The reading of these phones, in this browser. */
export function useSeen(phones: readonly Counted[]): Reading {
  const [seen, setSeen] = useStored('seen');
  const markSeen = useCallback(
    (number: string): void => {
      const phone = phones.find(one => one.number === number);
      if (!phone) return;
      setSeen(before => {
        if (cameTo(phone, before[number]) === 0) return before;
        const { [number]: _, ...others } = before;
        const all = [...Object.entries(others), [number, hadOf(phone)] as const];
        return Object.fromEntries(all.slice(-REMEMBERED));
      });
    },
    [phones, setSeen],
  );
  return {
    unreadOf: phone => cameTo(phone, seen[phone.number]),
    markSeen,
    markAllSeen: () => setSeen(before => allOf(phones, before)),
  };
}

/** The number of texts since the page of the phones was visited, and the function that marks it as visited. */
export function useVisited(phones: readonly Counted[]): readonly [came: number, visit: () => void] {
  const [visited, setVisited] = useStored('visited');
  const visit = useCallback(() => setVisited(before => allOf(phones, before)), [phones, setVisited]);
  return [phones.reduce((total, phone) => total + cameTo(phone, visited[phone.number]), 0), visit];
}
