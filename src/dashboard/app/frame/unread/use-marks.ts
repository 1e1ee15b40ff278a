/** The marks of pages in the navigation: how much is unread, and which are of no use here. */
import { useThrottledCallback } from '@mantine/hooks';
import { useLocation } from 'react-router';
import type { Operation } from '../../api/ask.ts';
import { keyOf, useAnswer, useAskAnew, useFeed } from '../../api/hooks.ts';
import {
  MessageCameDocument,
  SandboxPhonesDocument,
  TextCameDocument,
  UnreadPeopleDocument,
} from '../../api/operations.generated.ts';
import type { Marks } from '../nav.tsx';
import { useRights, useViewer } from '../session/session.tsx';
import { useVisited } from './use-seen.ts';

/** How often is asked while much is told, in milliseconds. */
const ASKED_EACH_MS = 2_000;

const NONE: readonly never[] = [];

/** The pages that follow by themselves, and ask for what is unread too. */
const FOLLOWING = /^\/(inbox|phones)(\/|$)/;

/** The marks, kept up while the page is visible: the people of whom something is unread, and the texts that came to the sandbox. */
export function useMarks(): Marks {
  const { may } = useRights();
  const hasAccount = useViewer().account !== null;
  const mayRead = hasAccount && may('TEXTS');
  const maySeeCodes = hasAccount && may('CODES');
  const { pathname } = useLocation();
  const people = useAnswer(UnreadPeopleDocument, {}, { enabled: mayRead });
  const phones = useAnswer(SandboxPhonesDocument, {}, { enabled: maySeeCodes });
  const [came] = useVisited(phones.data?.sandboxPhones ?? NONE);
  const isOff = phones.error?.code === 'NOT_FOUND';
  const askAnew = useAskAnew();
  const renew = useThrottledCallback(() => {
    void askAnew({ queryKey: keyOf(UnreadPeopleDocument) });
    if (maySeeCodes && !isOff) void askAnew({ queryKey: keyOf(SandboxPhonesDocument) });
  }, ASKED_EACH_MS);
  // Browsers hold few connections to a host, so there is one. The log tells of both; without phones it is told too much.
  const hasPhones = maySeeCodes && phones.data !== undefined;
  const isKnown = hasPhones || isOff || !maySeeCodes;
  const isOn = mayRead && isKnown && !FOLLOWING.test(pathname);
  const told: Operation<unknown, Record<string, never>> = hasPhones ? TextCameDocument : MessageCameDocument;
  useFeed(told, {}, { renew, isOn });
  return {
    unread: {
      '/inbox': people.data?.unreadPeople ?? 0,
      '/phones': /^\/phones(\/|$)/.test(pathname) ? 0 : came,
    },
    absent: isOff ? ['/phones'] : NONE,
  };
}
