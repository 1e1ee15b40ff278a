/** The thread of a phone: its texts as bubbles, the newest at the end. */
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { InboxThreadDocument, type InboxThreadQuery } from '../../api/operations.generated.ts';
import { CopyButton } from '../../ui/copy.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { sendLink } from '../../ui/send-link.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/times.tsx';
import { channelWord, phoneWord } from '../../ui/words.ts';
import styles from './inbox.module.css';
import { NextReceipt, Reports } from './receipts.tsx';

/** The thread. `markSeen` is told that it is looked at. */
export function Thread({
  phone,
  markSeen,
}: {
  readonly phone: string;
  readonly markSeen: (phone: string) => void;
}): ReactNode {
  const { data, error, refetch } = useAnswer(InboxThreadDocument, { to: phone });
  const texts = data?.sandboxMessages;
  const newest = texts?.[0]?.id;
  const bubbles = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (newest !== undefined) bubbles.current?.scrollTo({ top: bubbles.current.scrollHeight });
  }, [newest]);
  useEffect(() => markSeen(phone), [phone, markSeen]);
  return (
    <section className={styles.thread} aria-label={`Phone ${phoneWord(phone)}`}>
      <header className={styles.threadHead}>
        <Link to="/inbox" className={styles.back} aria-label="All phones">
          <Icon name="left" />
        </Link>
        <h2 className="numbers">{phoneWord(phone)}</h2>
        <Link to={sendLink({ to: `+${phone}` })}>Send to this phone</Link>
        <Link to={`/logs?${new URLSearchParams({ recipient: `+${phone}` })}`}>Show its log</Link>
        <NextReceipt key={newest} phone={phone} />
      </header>
      {error && <FailureNote failure={error} retry={refetch} />}
      {!texts && !error && <Loading lines={4} height={64} />}
      {texts?.length === 0 && <p className={styles.choose}>Nothing came to this phone within a day.</p>}
      {texts && texts.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <div ref={bubbles} className={styles.bubbles} role="log" aria-label="Texts" tabIndex={0}>
          {texts.toReversed().map(text => (
            <Bubble key={text.id} text={text} />
          ))}
        </div>
      )}
    </section>
  );
}

type Text = InboxThreadQuery['sandboxMessages'][number];

function Bubble({ text }: { readonly text: Text }): ReactNode {
  const { about } = text;
  return (
    <article className={styles.bubble}>
      <p className={styles.meta}>
        {text.from ? phoneWord(text.from) : 'no sender'} · {channelWord(text.channel)} · <Time at={text.createdAt} />
      </p>
      <p className={styles.text}>{text.text}</p>
      {about?.code && (
        <div className={styles.code} data-over={about.isVerified || undefined}>
          <output className="numbers">{about.code}</output>
          <CopyButton text={about.code} label="Copy the code" />
          {about.isVerified && <Status status="VERIFIED" word="verified ✓" />}
        </div>
      )}
      {about && (
        <div className={styles.about}>
          <Link to={`/logs?${new URLSearchParams(logOf(about))}`}>
            <Status status={about.status} />
          </Link>
          <Reports textId={text.id} status={about.status} />
        </div>
      )}
    </article>
  );
}

/** What the log is filtered by to show the send of a text. */
function logOf({ messageId, pinId }: NonNullable<Text['about']>): Record<string, string> {
  return messageId != null ? { messageId } : { pinId: pinId ?? '' };
}
