/** The drawer beside the log: the whole story of a message or a passcode. */
import { Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../../api/hooks.ts';
import {
  type LogFilter,
  LogPageDocument,
  type LogRowFragment,
  MessageStoryDocument,
  type MessageStoryQuery,
  OtpStoryDocument,
  type OtpStoryQuery,
} from '../../../api/operations.generated.ts';
import { useRights } from '../../../frame/session/session.tsx';
import { Timeline } from '../../../frame/timeline/timeline.tsx';
import { ShownId } from '../../../ui/copy/copy.tsx';
import { useOpenDialog } from '../../../ui/dialogs/open-dialog.ts';
import { Empty, FailureNote, Loading } from '../../../ui/feedback.tsx';
import { SamplesMenu } from '../../../ui/samples-menu.tsx';
import { Status } from '../../../ui/status.tsx';
import { Time } from '../../../ui/times.tsx';
import { counted, phoneWord, plainWord } from '../../../ui/words.ts';
import { storyOf } from '../log-list.tsx';
import { textStatusOf, textWord } from '../sends/send-words.ts';
import { ResendOtp, SendAgain } from './send-again.tsx';
import { besideOf, Steps } from './steps.tsx';
import styles from './story.module.css';

/** How often it looks again while it shows: receipts and webhooks come later. */
const REFRESH_MS = 3_000;

/** An entry that is about no send. */
export type StoryEntry = Pick<LogRowFragment, 'id' | 'type' | 'recipient' | 'errorCode' | 'errorMessage' | 'createdAt'>;

/** The drawer; `id` is that of a message, of a passcode, or of an `entry` that is about neither. */
export function Story({
  id,
  entry,
  stories,
  show,
  close,
}: {
  readonly id: string;
  readonly entry: StoryEntry | null;
  /** Those of the list, in its order. */
  readonly stories: readonly string[];
  /** Shows another story. */
  readonly show: (id: string) => void;
  readonly close: () => void;
}): ReactNode {
  const isInFront = useOpenDialog();
  const isNarrow = useMediaQuery('(width < 760px)');
  return (
    <Drawer
      opened
      onClose={() => isInFront() && close()}
      position="right"
      size={isNarrow ? '100%' : 560}
      title={id.startsWith('msg_') ? 'Message' : id.startsWith('pin_') ? 'Passcode' : 'Log entry'}
      overlayProps={{ backgroundOpacity: 0.15 }}
    >
      <Steps beside={besideOf(stories, id)} show={next => isInFront() && show(next)} />
      <StoryOf key={id} id={id} entry={entry} />
    </Drawer>
  );
}

function StoryOf({ id, entry }: { readonly id: string; readonly entry: StoryEntry | null }): ReactNode {
  if (id.startsWith('msg_')) return <MessageStory messageId={id} />;
  if (id.startsWith('pin_')) return <OtpStory pinId={id} />;
  return entry ? <Entry entry={entry} /> : <Unlisted attemptId={id} />;
}

/** An entry that is not among the loaded rows: the story of its send, or its own. */
function Unlisted({ attemptId }: { readonly attemptId: string }): ReactNode {
  const { data, error, refetch } = useAnswer(LogPageDocument, { filter: { attemptId }, first: 1 });
  if (!data) return error ? <FailureNote failure={error} retry={refetch} /> : <Loading lines={2} />;
  const [entry] = data.logs.nodes;
  return entry ? <StoryOf id={storyOf(entry)} entry={entry} /> : <Never what="entry" />;
}

function Entry({ entry }: { readonly entry: StoryEntry }): ReactNode {
  const { id, type, recipient, errorCode, errorMessage, createdAt } = entry;
  const { may } = useRights();
  const isInbound = type === 'INBOUND';
  return (
    <>
      <div className={styles.head}>
        <ShownId id={id} />
        <strong>{plainWord(type)}</strong>
      </div>
      <p className="quiet">
        {isInbound ? 'From' : 'To'} {phoneWord(recipient)} · <Time at={createdAt} />
      </p>
      {isInbound && may('TEXTS') && <Link to={`/inbox/${encodeURIComponent(recipient)}`}>Open the conversation</Link>}
      {errorMessage && (
        <p>
          {errorMessage} {errorCode && <Link to={`/errors#${errorCode}`}>{errorCode}</Link>}
        </p>
      )}
      <Whole of={entry} />
    </>
  );
}

function MessageStory({ messageId }: { readonly messageId: string }): ReactNode {
  const { data, error, refetch } = useAnswer(MessageStoryDocument, { messageId }, { refetchInterval: REFRESH_MS });
  if (!data) return error ? <FailureNote failure={error} retry={refetch} /> : <Loading />;
  return data.message ? <Message message={data.message} /> : <Gone what="message" filter={{ messageId }} />;
}

function Message({ message }: { readonly message: NonNullable<MessageStoryQuery['message']> }): ReactNode {
  const { messageId, status, recipient, reference, text, segments, createdAt } = message;
  const { may } = useRights();
  return (
    <>
      <div className={styles.head}>
        <ShownId id={messageId} />
        <Status status={status} />
        {may('RESEND') && <SendAgain message={message} />}
        <SamplesMenu asked={{ query: MESSAGE, variables: { messageId }, area: 'unified' }} />
      </div>
      <p className="quiet">
        To {phoneWord(recipient)}
        {reference && ` · reference ${reference}`} · {counted(segments, 'segment')} · <Time at={createdAt} />
      </p>
      {text !== '' && <blockquote className={styles.text}>{text}</blockquote>}
      <Timeline steps={message.timeline} />
      <Whole of={message} />
    </>
  );
}

function OtpStory({ pinId }: { readonly pinId: string }): ReactNode {
  const { data, error, refetch } = useAnswer(OtpStoryDocument, { pinId }, { refetchInterval: REFRESH_MS });
  if (!data) return error ? <FailureNote failure={error} retry={refetch} /> : <Loading />;
  return data.otp ? <Otp otp={data.otp} /> : <Gone what="passcode" filter={{ pinId }} />;
}

/** The statuses of a passcode that can no longer be given; until then its text says all. */
const OVER: ReadonlySet<string> = new Set(['VERIFIED', 'BLOCKED', 'EXPIRED', 'CANCELLED']);

function Otp({ otp }: { readonly otp: NonNullable<OtpStoryQuery['otp']> }): ReactNode {
  const { pinId, status, recipient, attemptsRemaining, attempts, createdAt } = otp;
  const text = textStatusOf(attempts);
  const { may } = useRights();
  return (
    <>
      <div className={styles.head}>
        <ShownId id={pinId} />
        {(OVER.has(status) || !text) && <Status status={status} />}
        {text && <Status status={text} word={textWord(text)} />}
        {may('RESEND') && status === 'SENT' && <ResendOtp pinId={pinId} />}
        <SamplesMenu asked={{ query: OTP, variables: { pinId }, area: 'unified' }} />
      </div>
      <p className="quiet">
        To {phoneWord(recipient)}
        {status === 'SENT' && ` · ${counted(attemptsRemaining, 'try', 'tries')} left`} · <Time at={createdAt} />
      </p>
      <Timeline steps={otp.timeline} />
      <Whole of={otp} />
    </>
  );
}

/** Everything as the API tells it. */
function Whole({ of }: { readonly of: object }): ReactNode {
  return (
    <details className={styles.whole}>
      <summary>JSON</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <pre tabIndex={0}>{JSON.stringify(of, null, 2)}</pre>
    </details>
  );
}

/** Tells what came in, and a send that is no longer kept, from an unknown id: both have entries in the log. */
function Gone({ what, filter }: { readonly what: string; readonly filter: LogFilter }): ReactNode {
  const { data, error, refetch } = useAnswer(LogPageDocument, { filter, first: 1 });
  if (!data) return error ? <FailureNote failure={error} retry={refetch} /> : <Loading lines={2} />;
  const [entry] = data.logs.nodes;
  if (!entry) return <Never what={what} />;
  if (entry.type === 'INBOUND') return <Entry entry={entry} />;
  return (
    <Empty title="It is not kept any longer">
      <p>
        Messages are kept as long as the log; passcodes for a day after their time. Its entries still stand in the log.
      </p>
    </Empty>
  );
}

function Never({ what }: { readonly what: string }): ReactNode {
  return (
    <Empty title={`There is no such ${what}`}>
      <p>Nothing in the log of this account has this id. Check the id and the account.</p>
    </Empty>
  );
}

const MESSAGE = `query Message($messageId: String!) {
  message(id: $messageId) {
    status channel segments
    timeline { at sinceMs kind status channel provider errorCode reason }
  }
}`;

const OTP = `query Otp($pinId: String!) {
  otp(pinId: $pinId) {
    status channel expiresAt attemptsRemaining
    timeline { at sinceMs kind status channel provider errorCode reason }
  }
}`;
