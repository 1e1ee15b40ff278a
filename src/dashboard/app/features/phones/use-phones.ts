/** The phones of the sandbox, newest first, as they are told of. */
import { useThrottledCallback } from '@mantine/hooks';
import { useEffect } from 'react';
import { keyOf, useAnswer, useAskAnew, useFeed } from '../../api/hooks.ts';
import {
  PhonesLogDocument,
  PhoneThreadDocument,
  SandboxPhonesDocument,
  type SandboxPhonesQuery,
  UnreadPeopleDocument,
} from '../../api/operations.generated.ts';
import { useSeen, useVisited } from '../../frame/unread/use-seen.ts';
import type { Failure } from '../../ui/failure.ts';

/** How often the phones are asked for while much is told, in milliseconds. */
const ASKED_EACH_MS = 250;

/** A phone with what it has. */
export interface Phone {
  readonly number: string;
  readonly last: SandboxPhonesQuery['sandboxPhones'][number]['last'];
  /** How many texts came since it was looked at. */
  readonly unread: number;
}

/** The phones, and the state of their loading. */
export interface Phones {
  /** Null: not known yet. */
  readonly list: readonly Phone[] | null;
  /** Whether the gateway has no sandbox. */
  readonly isOff: boolean;
  readonly failure: Failure | null;
  readonly retry: () => void;
  /** Takes what a phone has as read. */
  readonly markSeen: (phone: string) => void;
  /** Takes what all phones have as read. */
  readonly markAllSeen: () => void;
}

const NONE: readonly never[] = [];

/** The phones. One feed tells of texts, of receipts and of codes that were given: browsers hold few connections to a host. */
export function usePhones(): Phones {
  const askAnew = useAskAnew();
  const { data, error, refetch } = useAnswer(SandboxPhonesDocument, {});
  const phones = data?.sandboxPhones;
  const { unreadOf, markSeen, markAllSeen } = useSeen(phones ?? NONE);
  const [, visit] = useVisited(phones ?? NONE);
  useEffect(() => {
    if (phones) visit();
  }, [phones, visit]);
  const renew = useThrottledCallback(() => {
    for (const operation of [SandboxPhonesDocument, PhoneThreadDocument, UnreadPeopleDocument])
      void askAnew({ queryKey: keyOf<unknown, never>(operation) });
  }, ASKED_EACH_MS);
  // Nothing is to be followed where the sandbox is off: asking anew would show a question that waits in the place of why.
  const { refused } = useFeed(PhonesLogDocument, {}, { renew, isOn: phones !== undefined });
  const failure = error ?? refused;
  return {
    list: phones?.map(phone => ({ ...phone, unread: unreadOf(phone) })) ?? null,
    isOff: failure?.code === 'NOT_FOUND',
    failure,
    retry: () => void refetch(),
    markSeen,
    markAllSeen,
  };
}
