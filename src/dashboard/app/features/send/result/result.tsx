/** The result of a send, kept up to date. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { keyOf, useAnswer, useAskAnew, useFeed } from '../../../api/hooks.ts';
import {
  SentLogDocument,
  SentMessageDocument,
  SentOtpDocument,
  type StepFragment,
} from '../../../api/operations.generated.ts';
import { Timeline } from '../../../frame/timeline/timeline.tsx';
import { ShownId } from '../../../ui/copy/copy.tsx';
import { FailureNote, Loading } from '../../../ui/feedback.tsx';
import { Section } from '../../../ui/page.tsx';
import { Status } from '../../../ui/status.tsx';
import { phoneWord } from '../../../ui/words.ts';
import styles from '../send.module.css';
import type { Sent } from '../use-sending.ts';
import { OtpActions } from './otp-actions.tsx';

/** The result. */
export function Result({ sent }: { readonly sent: Sent }): ReactNode {
  return sent.kind === 'message' ? <MessageResult id={sent.id} /> : <OtpResult id={sent.id} />;
}

function MessageResult({ id }: { readonly id: string }): ReactNode {
  const askAnew = useAskAnew();
  const { data, error, refetch } = useAnswer(SentMessageDocument, { id });
  const { refused } = useFeed(
    SentLogDocument,
    { filter: { messageId: id } },
    { renew: () => askAnew({ queryKey: keyOf(SentMessageDocument, { id }) }) },
  );
  const message = data?.message;
  const failure = error ?? refused;
  return (
    <Section title="Message">
      {failure && <FailureNote failure={failure} retry={refetch} />}
      {!message && !failure && <Loading lines={3} />}
      {message && (
        <>
          <Head
            id={id}
            status={message.status}
            recipient={message.recipient}
            timeline={message.timeline}
            log={{ messageId: id }}
          />
          <Timeline steps={message.timeline} />
        </>
      )}
    </Section>
  );
}

function OtpResult({ id }: { readonly id: string }): ReactNode {
  const askAnew = useAskAnew();
  const { data, error, refetch } = useAnswer(SentOtpDocument, { pinId: id });
  const { refused } = useFeed(
    SentLogDocument,
    { filter: { pinId: id } },
    { renew: () => askAnew({ queryKey: keyOf(SentOtpDocument, { pinId: id }) }) },
  );
  const otp = data?.otp;
  const failure = error ?? refused;
  return (
    <Section title="Passcode">
      {failure && <FailureNote failure={failure} retry={refetch} />}
      {!otp && !failure && <Loading lines={3} />}
      {otp && (
        <>
          <Head id={id} status={otp.status} recipient={otp.recipient} timeline={otp.timeline} log={{ pinId: id }} />
          <Timeline steps={otp.timeline} />
          <OtpActions otp={otp} />
        </>
      )}
    </Section>
  );
}

function Head({
  id,
  status,
  recipient,
  timeline,
  log,
}: {
  readonly id: string;
  readonly status: string;
  readonly recipient: string;
  readonly timeline: readonly StepFragment[];
  /** The filter of the log that shows it. */
  readonly log: Record<string, string>;
}): ReactNode {
  return (
    <div className={styles.head}>
      <p role="status">
        <Status status={status} /> to {phoneWord(recipient)}
      </p>
      <p>
        <ShownId id={id} />
      </p>
      <p className={styles.links}>
        <Link to={`/logs?${new URLSearchParams(log)}`}>Open in the log</Link>
        {timeline.some(({ provider }) => provider === 'sandbox') && (
          <Link to={`/phones/${recipient}`}>See it on the phone</Link>
        )}
      </p>
    </div>
  );
}
