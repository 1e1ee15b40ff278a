/** The thread of a phone: the texts that came to it and what it wrote, the newest at the end. */
import { Fragment, type ReactNode, useEffect } from 'react';
import { Link } from 'react-router';
import { channelWord } from '../../api/channels.ts';
import { useAnswer } from '../../api/hooks.ts';
import { PhoneThreadDocument, type PhoneThreadQuery } from '../../api/operations.generated.ts';
import { CopyButton } from '../../ui/copy/copy.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { useSpanStart } from '../../ui/lists/spans.tsx';
import { sendLink } from '../../ui/send-link.ts';
import { Status } from '../../ui/status.tsx';
import { Bubble, Bubbles } from '../../ui/threads/bubbles.tsx';
import { Note, Thread } from '../../ui/threads/panes.tsx';
import { Time } from '../../ui/times.tsx';
import { phoneWord } from '../../ui/words.ts';
import { AnswerAsPhone } from './answer.tsx';
import styles from './phones.module.css';
import { NextReceipt, Reports } from './receipts.tsx';

type Text = PhoneThreadQuery['sandboxMessages'][number];
type Written = PhoneThreadQuery['inboundMessages']['nodes'][number];

/** The thread. `markSeen` is told that it is looked at. */
export function PhoneThread({
  phone,
  markSeen,
}: {
  readonly phone: string;
  readonly markSeen: (phone: string) => void;
}): ReactNode {
  // Texts of the phone are kept longer than those to it.
  const since = useSpanStart('24h');
  const { data, error, refetch } = useAnswer(PhoneThreadDocument, { to: phone, since });
  useEffect(() => markSeen(phone), [phone, markSeen]);
  const texts = data?.sandboxMessages ?? [];
  const written = data?.inboundMessages.nodes ?? [];
  const said = [...texts.map(cameOf), ...written.map(wroteOf)].sort((one, other) => one.at - other.at);
  return (
    <Thread
      label={`Phone ${phoneWord(phone)}`}
      title={phoneWord(phone)}
      back={{ to: '/phones', label: 'All phones' }}
      head={
        <>
          <Link to={sendLink({ to: `+${phone}` })}>Send to this phone</Link>
          <Link to={`/logs?${new URLSearchParams({ recipient: `+${phone}` })}`}>Show its log</Link>
          <NextReceipt key={texts[0]?.id} phone={phone} />
        </>
      }
    >
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={4} height={64} />}
      {data && said.length === 0 && <Note>Nothing came to this phone within a day.</Note>}
      {said.length > 0 && (
        <Bubbles label="Texts" oldest={said[0]?.id} newest={said.at(-1)?.id} isNewestOwn={said.at(-1)?.isOwn === true}>
          {said.map(({ id, bubble }) => (
            <Fragment key={id}>{bubble}</Fragment>
          ))}
        </Bubbles>
      )}
      {said.length > 0 && <AnswerAsPhone phone={phone} senders={sendersOf(said)} />}
    </Thread>
  );
}

/** A text in a thread. */
interface Said {
  readonly id: string;
  readonly at: number;
  /** The sender of the account that it is from or to; null: none. */
  readonly sender: string | null;
  readonly isOwn: boolean;
  readonly bubble: ReactNode;
}

function cameOf(text: Text): Said {
  return { id: text.id, at: Date.parse(text.createdAt), sender: text.from, isOwn: false, bubble: <Came text={text} /> };
}

function wroteOf(message: Written): Said {
  const { id, receivedAt, to } = message;
  return { id, at: Date.parse(receivedAt), sender: to, isOwn: true, bubble: <Wrote message={message} /> };
}

/** The senders that the phone knows, that of the newest text first. */
function sendersOf(said: readonly Said[]): readonly string[] {
  return [...new Set(said.toReversed().flatMap(({ sender }) => (sender === null ? [] : [sender])))];
}

function Came({ text }: { readonly text: Text }): ReactNode {
  const { about } = text;
  return (
    <Bubble
      meta={
        <>
          {text.from ? phoneWord(text.from) : 'no sender'} · {channelWord(text.channel)} · <Time at={text.createdAt} />
        </>
      }
      text={text.text}
      under={
        about && (
          <>
            <Link to={`/logs?${new URLSearchParams(logOf(about))}`}>
              <Status status={about.status} />
            </Link>
            <Reports textId={text.id} status={about.status} />
          </>
        )
      }
    >
      {about?.code && (
        <div className={styles.code} data-over={about.isVerified || undefined}>
          <output className="numbers">{about.code}</output>
          <CopyButton text={about.code} label="Copy the code" />
          {about.isVerified && <Status status="VERIFIED" word="verified ✓" />}
        </div>
      )}
    </Bubble>
  );
}

function Wrote({ message }: { readonly message: Written }): ReactNode {
  const { to, channel, receivedAt, text } = message;
  return (
    <Bubble
      isOwn
      meta={
        <>
          to {phoneWord(to)} · {channelWord(channel)} · <Time at={receivedAt} />
        </>
      }
      text={text}
    />
  );
}

/** The filter of the log that shows the send of a text. */
function logOf({ messageId, pinId }: NonNullable<Text['about']>): Record<string, string> {
  return messageId != null ? { messageId } : { pinId: pinId ?? '' };
}
