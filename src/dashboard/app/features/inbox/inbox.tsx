/** The inbox: the people who wrote, and what was said with each of them over all channels. */
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { useParams } from 'react-router';
import { InboxPeopleDocument } from '../../api/operations.generated.ts';
import { usePages } from '../../api/pages.ts';
import { useRights } from '../../frame/session/session.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { Panes } from '../../ui/threads/panes.tsx';
import { Conversation } from './conversation.tsx';
import { NobodyWrote } from './nothing.tsx';
import { PeopleList, type Sought } from './people-list.tsx';
import { useInboxFeed } from './use-inbox-feed.ts';

/** The page. */
export function Inbox(): ReactNode {
  const { may } = useRights();
  return (
    <Page title="Inbox" about="Who wrote to your senders, and what was said with them over all channels.">
      {may('TEXTS') ? (
        <People />
      ) : (
        <Empty title="A viewer sees no texts">
          <p>An owner of the account can give you the role support, which sees and answers them.</p>
        </Empty>
      )}
    </Page>
  );
}

/** How long the search waits for more keys, in milliseconds. */
const SEARCHES_AFTER_MS = 200;

/** How many people are asked for at once. */
const PEOPLE = 50;

function People(): ReactNode {
  const { person } = useParams();
  // Not in the URL: it may be a number or a name, and URLs stand in histories.
  const [sought, seek] = useState<Sought>({ words: '', isUnread: false });
  const [search] = useDebouncedValue(sought.words.trim(), SEARCHES_AFTER_MS);
  const filter = { ...(search !== '' && { search }), ...(sought.isUnread && { isUnread: true }) };
  const people = usePages(InboxPeopleDocument, { filter, first: PEOPLE }, answer => answer.people);
  const refused = useInboxFeed();
  const failure = people.failure ?? refused;
  const isNarrowed = search !== '' || sought.words !== '' || sought.isUnread;
  // Beside an open conversation the list fails alone: an answer may be half written.
  if (!people.rows && !isNarrowed && person === undefined)
    return failure ? <FailureNote failure={failure} retry={people.retry} /> : <Loading lines={6} height={52} />;
  if (people.rows?.length === 0 && !isNarrowed && person === undefined) return <NobodyWrote />;
  return (
    <>
      {failure && <FailureNote failure={failure} retry={people.retry} />}
      <Panes
        list={<PeopleList people={people} sought={sought} seek={seek} isNarrowed={isNarrowed} />}
        thread={person === undefined ? null : <Conversation key={person} to={person} />}
        choose="Choose a person to read what was said."
      />
    </>
  );
}
