/** The replies: what answers the words of people by itself, and which words stop and start what they get. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { type AutoReplyFragment, RepliesDocument, type RepliesQuery } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { RemoveReply } from './remove-reply.tsx';
import { ReplyForm } from './reply-form.tsx';
import { StopWords } from './stop-words.tsx';
import { StopWordsForm } from './stop-words-form.tsx';

/** The page. */
export function Replies(): ReactNode {
  const { data, error, refetch } = useAnswer(RepliesDocument, {});
  const { mayChange } = useRights();
  const [params, change] = useUrlState();
  const [editing, setEditing] = useState<AutoReplyFragment | null>(null);
  const [removing, setRemoving] = useState<AutoReplyFragment | null>(null);
  const add = mayChange && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => change({ new: '1' })}>
      Add auto-reply
    </Button>
  );
  const isRefused = !mayChange && (params.has('new') || params.has('act'));
  return (
    <Page
      title="Replies"
      about="What your account answers by itself when people write to its senders, and the words by which they stop."
      actions={add}
    >
      {isRefused && <NotAllowed what="change replies" needs="developer" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={8} />}
      {data && (
        <Section title="Auto-replies">
          {data.autoReplies.length === 0 ? (
            <Empty title="No auto-reply yet">
              <p>Whoever writes exactly a keyword gets its text, once an hour, from the sender that they wrote to.</p>
              {add}
            </Empty>
          ) : (
            <Table
              label="Auto-replies"
              rows={data.autoReplies}
              keyOf={({ keyword }) => keyword}
              columns={columnsOf(data, mayChange ? { edit: setEditing, remove: setRemoving } : null)}
            />
          )}
        </Section>
      )}
      {data && (
        <Section
          title="Stop, start and help"
          actions={
            mayChange && (
              <Button variant="default" size="compact-sm" onClick={() => change({ act: 'words' })}>
                Change words and texts
              </Button>
            )
          }
        >
          <StopWords settings={data.optOutSettings} />
        </Section>
      )}
      {mayChange && params.get('new') === '1' && <ReplyForm reply={null} close={() => change({ new: null })} />}
      {editing && <ReplyForm reply={editing} close={() => setEditing(null)} />}
      {removing && <RemoveReply reply={removing} close={() => setRemoving(null)} />}
      {data && mayChange && params.get('act') === 'words' && (
        <StopWordsForm settings={data.optOutSettings} close={() => change({ act: null })} />
      )}
    </Page>
  );
}

interface Changes {
  readonly edit: (reply: AutoReplyFragment) => void;
  readonly remove: (reply: AutoReplyFragment) => void;
}

function columnsOf({ optOutSettings }: RepliesQuery, changes: Changes | null): Column<AutoReplyFragment>[] {
  const reserved = [...optOutSettings.stopWords, ...optOutSettings.startWords];
  return [
    {
      head: 'Keyword',
      cell: ({ keyword }) => (
        <>
          {keyword}{' '}
          {reserved.includes(keyword) && <span className="quiet">not answered: it is a word that stops or starts</span>}
        </>
      ),
      isMain: true,
    },
    {
      head: 'Answer',
      cell: ({ text }) => <span style={{ overflowWrap: 'anywhere', unicodeBidi: 'plaintext' }}>{text}</span>,
    },
    {
      head: 'By cloud chat',
      cell: ({ cloudTemplate }) =>
        cloudTemplate ? `${cloudTemplate.name} (${cloudTemplate.language})` : <span className="quiet">the text</span>,
    },
    { head: 'Since', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    ...(changes
      ? [{ head: 'Actions', cell: (reply: AutoReplyFragment) => <Actions reply={reply} {...changes} /> }]
      : []),
  ];
}

function Actions({ reply, edit, remove }: Changes & { readonly reply: AutoReplyFragment }): ReactNode {
  return (
    <Button.Group>
      <Button variant="default" size="compact-xs" aria-label={`Edit ${reply.keyword}`} onClick={() => edit(reply)}>
        Edit
      </Button>
      <Button variant="default" size="compact-xs" aria-label={`Remove ${reply.keyword}`} onClick={() => remove(reply)}>
        Remove
      </Button>
    </Button.Group>
  );
}
