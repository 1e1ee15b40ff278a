/** The rows of the log: pages by cursor, and while live those that are told. */
import { useEffect, useEffectEvent, useMemo, useReducer, useRef } from 'react';
import { useFeed } from '../../api/hooks.ts';
import {
  LiveLogDocument,
  type LogFilter,
  LogPageDocument,
  type LogPageQuery,
  type LogRowFragment,
} from '../../api/operations.generated.ts';
import { changeTold, fullnessOf, mergeRows, NOTHING_TOLD } from './told.ts';
import { type Log, useLogPages } from './use-log-pages.ts';

/** How long told entries are gathered before they are drawn, in milliseconds. */
const GATHER_MS = 100;

/**
 * The entries that pass a filter, newest first. While `isLive`, told entries come before them; one that is told again (a receipt came)
 * replaces the older. While `isHeld`, new ones wait, so that nothing moves under the eyes of a reader.
 */
export function useLog(filter: LogFilter, isLive: boolean, isHeld: boolean): Log<LogRowFragment> {
  const { pages, state, askNewest } = useLogPages(LogPageDocument, filter, logsOf);
  const told = useTold(filter, isLive, isHeld, askNewest);
  return {
    ...state,
    rows: useMemo(() => mergeRows(pages, told.shown), [pages, told.shown]),
    failure: state.failure ?? told.refused,
    waiting: told.waiting,
    isLost: told.isLost,
    leftOut: told.leftOut,
    askAnew: told.renew,
  };
}

const logsOf = ({ logs }: LogPageQuery): LogPageQuery['logs'] => logs;

/** The entries told while live. `askAnew` asks for the newest page in their place, and answers whether it came. */
function useTold(filter: LogFilter, isLive: boolean, isHeld: boolean, askAnew: () => Promise<boolean>) {
  const [told, change] = useReducer(changeTold<LogRowFragment>, NOTHING_TOLD);
  const gathered = useRef(new Map<string, LogRowFragment>());
  const timer = useRef<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter begins anew
  useEffect(() => {
    gathered.current.clear();
    change({ kind: 'begun' });
  }, [filter]);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const draw = useEffectEvent((): void => {
    timer.current = null;
    const rows = [...gathered.current.values()];
    gathered.current.clear();
    change({ kind: 'told', rows, isHeld });
  });
  const { refused, isLost } = useFeed(
    LiveLogDocument,
    { filter },
    {
      renew: () => change({ kind: 'missed', isAsked: false }),
      tell: ({ logAdded }, dropped) => {
        change({ kind: 'leftOut', count: dropped });
        gathered.current.set(logAdded.id, logAdded);
        timer.current ??= window.setTimeout(draw, GATHER_MS);
      },
      isOn: isLive,
    },
  );
  useEffect(() => {
    if (!isHeld) change({ kind: 'released' });
  }, [isHeld]);
  const fullness = fullnessOf(told);
  const relieve = useEffectEvent(async (): Promise<void> => {
    const before = told.shown;
    if (await askAnew()) change({ kind: 'renewed', before });
  });
  useEffect(() => {
    if (fullness > 0) void relieve();
  }, [fullness]);
  // Nothing moves while somebody reads: the newest page is asked for after that.
  const { isStale } = told;
  useEffect(() => {
    if (isHeld || !isStale) return;
    change({ kind: 'asked' });
    void relieve();
  }, [isHeld, isStale]);
  const renew = (): void => change({ kind: 'missed', isAsked: true });
  return {
    shown: told.shown,
    refused,
    isLost: isLive && isLost,
    waiting: told.held.size,
    leftOut: told.leftOut,
    renew,
  };
}
