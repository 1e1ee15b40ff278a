/** The conversation with a person: who it is, what was said, and the form that answers. */
import { useDocumentVisibility } from '@mantine/hooks';
import { Fragment, type ReactNode, useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useAnswer, useChange } from '../../api/hooks.ts';
import { ConversationDocument, InboxPersonDocument, MarkReadDocument } from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { useRights } from '../../frame/session/session.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { More } from '../../ui/lists/more.tsx';
import { Bubbles } from '../../ui/threads/bubbles.tsx';
import { Note, Thread } from '../../ui/threads/panes.tsx';
import { Composer } from './composer/composer.tsx';
import { Entry } from './entries.tsx';
import { PersonHead } from './person-head.tsx';
import { nameOf, type Person } from './words.ts';

/** How many entries are asked for at once. */
const ENTRIES = 50;

/** A window of a chat closes without a message that tells of it. */
const ASKED_EACH_MS = 60_000;

/** The conversation; `to` names the person as the URL does. */
export function Conversation({ to }: { readonly to: string }): ReactNode {
  const { data, error, refetch } = useAnswer(InboxPersonDocument, { to }, { refetchInterval: ASKED_EACH_MS });
  const { may } = useRights();
  const entries = usePages(ConversationDocument, { to, first: ENTRIES }, answer => answer.conversation);
  const said = entries.rows?.toReversed() ?? [];
  const person = data?.person;
  useMarkedRead(person, entries.rows !== undefined);
  const isLeaving = useOwnAddress(to, person);
  const failure = error ?? entries.failure;
  return (
    <Thread
      label={person ? `Conversation with ${nameOf(person)}` : 'Conversation'}
      title={person && nameOf(person)}
      back={{ to: '/inbox', label: 'All people' }}
      head={person && <PersonHead person={person} />}
    >
      {failure && <FailureNote failure={failure} retry={() => void Promise.all([refetch(), entries.retry()])} />}
      {(!person || !entries.rows) && !failure && <Loading lines={4} height={64} />}
      {entries.rows && said.length === 0 && <Note>Nothing was said yet, or nothing is kept of it.</Note>}
      {said.length > 0 && (
        <Bubbles
          label="Conversation"
          oldest={said[0]?.id}
          newest={said.at(-1)?.id}
          isNewestOwn={said.at(-1)?.__typename !== 'InboundMessage'}
        >
          <More of={entries} />
          {said.map(entry => (
            <Fragment key={entry.id}>
              <Entry entry={entry} mayRemove={may('REPLY')} />
            </Fragment>
          ))}
        </Bubbles>
      )}
      {person && !isLeaving && may('REPLY') && <Composer person={person} />}
    </Thread>
  );
}

/** Takes what shows as read, for the whole account, while somebody may look at it. */
function useMarkedRead(person: Person | undefined, isShown: boolean): void {
  const { may } = useRights();
  const isVisible = useDocumentVisibility() === 'visible';
  const { mutate } = useChange(MarkReadDocument);
  const isLookedAt = isShown && isVisible && may('REPLY') && person !== undefined && person.unread > 0;
  const messageId = isLookedAt ? person.lastMessage?.id : undefined;
  const to = person?.id ?? person?.to;
  useEffect(() => {
    if (messageId !== undefined && to !== undefined) mutate({ input: { to, messageId } });
  }, [messageId, to, mutate]);
}

/** Leads from the number of somebody who is known to the id: URLs stand in histories and in the logs of proxies. Answers whether it does: nothing is to be written here then. */
function useOwnAddress(to: string, person: Person | undefined): boolean {
  const navigate = useNavigate();
  const id = person?.id;
  const isLeaving = id != null && id !== to;
  useEffect(() => {
    if (isLeaving) void navigate(`/inbox/${id}`, { replace: true });
  }, [id, isLeaving, navigate]);
  return isLeaving;
}
