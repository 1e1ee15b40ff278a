/** The sends of the log: pages by cursor; while live the newest page is asked for when something is told. */
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useFeed } from '../../../api/hooks.ts';
import {
  LiveSendsDocument,
  type LogFilter,
  SendPageDocument,
  type SendPageQuery,
  type SendRowFragment,
} from '../../../api/operations.generated.ts';
import { type Log, useLogPages } from '../use-log-pages.ts';

/** How long told sends are gathered before the newest page is asked for, in milliseconds. */
const GATHER_MS = 500;

/** The sends that pass a filter, newest first. While `isHeld` nothing moves under the eyes of who reads: what is told is counted. */
export function useSends(filter: LogFilter, isLive: boolean, isHeld: boolean): Log<SendRowFragment> {
  const { pages, state, askNewest } = useLogPages(SendPageDocument, filter, sendsOf);
  const told = useTold(filter, isLive, isHeld, askNewest);
  const rows = useMemo(() => unique(pages), [pages]);
  const known = useMemo(() => new Set(rows.map(sendOf)), [rows]);
  return {
    ...state,
    rows,
    failure: state.failure ?? told.refused,
    waiting: [...told.held].filter(send => !known.has(send)).length,
    isLost: told.isLost,
    leftOut: 0,
    askAnew: () => void askNewest(),
  };
}

const sendsOf = ({ sends }: SendPageQuery): SendPageQuery['sends'] => sends;

type Sent = Pick<SendRowFragment, 'id' | 'messageId' | 'pinId'>;

/** The id of the send of a row or an entry: its message or its passcode, else the entry itself. */
export function sendOf({ id, messageId, pinId }: Sent): string {
  return messageId ?? pinId ?? id;
}

/** Gathers the told sends, and asks for the newest page once for all. Waits while somebody reads, or while an answer is under way. */
function useTold(filter: LogFilter, isLive: boolean, isHeld: boolean, askNewest: () => Promise<unknown>) {
  const [held, setHeld] = useState<ReadonlySet<string>>(NONE);
  const [isStale, setStale] = useState(false);
  const gathered = useRef(new Set<string>());
  const timer = useRef<number | null>(null);
  const [isAsking, setAsking] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(() => {
    gathered.current.clear();
    setHeld(NONE);
  }, [filter]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const draw = useEffectEvent((): void => {
    timer.current = null;
    const news = [...gathered.current];
    gathered.current.clear();
    if (isHeld) setHeld(before => new Set([...before, ...news]));
    setStale(true);
  });
  const gather = (send: string | null): void => {
    if (send !== null) gathered.current.add(send);
    timer.current ??= window.setTimeout(draw, GATHER_MS);
  };
  // The page filters sends by status. The feed tells of each entry instead: an entry may have another status than its send.
  const { statuses: _statuses, ...ofEntries } = filter;
  const { refused, isLost } = useFeed(
    LiveSendsDocument,
    { filter: ofEntries },
    { renew: () => gather(null), tell: ({ logAdded }) => gather(sendOf(logAdded)), isOn: isLive },
  );
  const renew = useEffectEvent(async (): Promise<void> => {
    setAsking(true);
    setStale(false);
    setHeld(NONE);
    await askNewest();
    setAsking(false);
  });
  useEffect(() => {
    if (isStale && !isHeld && !isAsking) void renew();
  }, [isStale, isHeld, isAsking]);
  return { refused, held, isLost: isLive && isLost };
}

const NONE: ReadonlySet<string> = new Set();

/** Sends once each: a new entry may move a send between two pages that are asked for one after another. */
function unique(pages: readonly (readonly SendRowFragment[])[]): SendRowFragment[] {
  return [...new Map(pages.flat().map(row => [sendOf(row), row])).values()];
}
