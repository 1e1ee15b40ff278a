/** The entries of a conversation: theirs on the left, ours on the right, and quiet lines for passcodes and notes. */
import { ActionIcon } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { CHANNEL_FACTS } from '../../api/channels.generated.ts';
import { channelWord } from '../../api/channels.ts';
import { useChange } from '../../api/hooks.ts';
import { type ConversationQuery, RemoveNoteDocument } from '../../api/operations.generated.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Status } from '../../ui/status.tsx';
import { Bubble } from '../../ui/threads/bubbles.tsx';
import { Time } from '../../ui/times.tsx';
import { phoneWord } from '../../ui/words.ts';
import styles from './inbox.module.css';
import { textOf } from './words.ts';

type AnyEntry = ConversationQuery['conversation']['nodes'][number];
type EntryOf<Kind extends AnyEntry['__typename']> = Extract<AnyEntry, { readonly __typename: Kind }>;

/** Stands for a text that was kept as long as texts are. */
const FORGOTTEN = <em className="quiet">The text is not kept any longer.</em>;

/** An entry. */
export function Entry({ entry, mayRemove }: { readonly entry: AnyEntry; readonly mayRemove: boolean }): ReactNode {
  switch (entry.__typename) {
    case 'InboundMessage':
      return <Theirs message={entry} />;
    case 'Message':
      return <Ours message={entry} />;
    case 'Otp':
      return <OtpLine otp={entry} />;
    case 'PersonNote':
      return <NoteOf note={entry} mayRemove={mayRemove} />;
  }
}

function Theirs({ message }: { readonly message: EntryOf<'InboundMessage'> }): ReactNode {
  const { channel, to, receivedAt, type, text } = message;
  const isWhole = type === 'text' && text;
  return (
    <Bubble
      meta={
        <>
          {channelWord(channel)} to {phoneWord(to)} · <Time at={receivedAt} />
        </>
      }
      text={isWhole ? text : <em className="quiet">{textOf(message)}</em>}
    />
  );
}

function Ours({ message }: { readonly message: EntryOf<'Message'> }): ReactNode {
  const { messageId, sentText, status, sentBy, channels, createdAt } = message;
  const channel = sentBy ?? channels[0];
  const { senderField } = channel ? CHANNEL_FACTS[channel] : { senderField: null };
  const sender = senderField === null ? null : message[senderField];
  return (
    <Bubble
      isOwn
      meta={
        <>
          {channel && channelWord(channel)}
          {sender !== null && ` from ${phoneWord(sender)}`} · <Time at={createdAt} />
        </>
      }
      text={sentText || FORGOTTEN}
      under={
        <Link to={storyOf({ messageId }, messageId)}>
          <Status status={status} />
        </Link>
      }
    />
  );
}

/** No code and no text of it: who answers people may not see them. */
function OtpLine({ otp }: { readonly otp: EntryOf<'Otp'> }): ReactNode {
  const { pinId, otpStatus, sentBy, channels, createdAt } = otp;
  const channel = sentBy ?? channels[0];
  return (
    <p className={styles.otp}>
      Passcode · {channel && `${channelWord(channel)} · `}
      <Link to={storyOf({ pinId }, pinId)}>
        <Status status={otpStatus} />
      </Link>{' '}
      · <Time at={createdAt} />
    </p>
  );
}

/** The story of a send in the log. */
function storyOf(filter: Readonly<Record<string, string>>, open: string): string {
  return `/logs?${new URLSearchParams({ ...filter, open })}`;
}

function NoteOf({
  note: { id, note, by, createdAt },
  mayRemove,
}: {
  readonly note: EntryOf<'PersonNote'>;
  readonly mayRemove: boolean;
}): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const remove = useChange(RemoveNoteDocument);
  return (
    <article className={styles.note} aria-label="Note">
      <p className={styles.noteHead}>
        <span>
          Note by {by ?? 'a token'} · <Time at={createdAt} />
        </span>
        {mayRemove && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Remove the note"
            onClick={() => setAsking(true)}
          >
            <Icon name="close" size={14} />
          </ActionIcon>
        )}
      </p>
      <p className={styles.noteText}>{note || FORGOTTEN}</p>
      {isAsking && (
        <Confirm
          title="Remove the note"
          button="Remove note"
          failure={remove.error}
          isBusy={remove.isPending}
          close={() => setAsking(false)}
          confirm={() => remove.mutate({ id })}
        >
          It is gone for everybody in the account. The audit trail has who removed it.
        </Confirm>
      )}
    </article>
  );
}
