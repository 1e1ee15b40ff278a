/** The page that sends: a message or a passcode is written, looked at, sent and followed. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { SendChoicesDocument } from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { Composer } from './composer.tsx';

/** The page. */
export function Send(): ReactNode {
  const { may } = useRights();
  return (
    <Page title="Send" about="Write a message or a passcode, see what it will do and cost, send it, and follow it.">
      {may('SEND') ? (
        <Ready />
      ) : (
        <Empty title={may('RESEND') ? 'Support writes to nobody new' : 'Viewers cannot send'}>
          {may('RESEND') && <p>What was sent can be sent again, from its story in the log.</p>}
          <p>An owner of the account can make you a developer, who may.</p>
        </Empty>
      )}
    </Page>
  );
}

/** The form, once it is known from whom can be sent. */
function Ready(): ReactNode {
  const { data, error, refetch } = useAnswer(SendChoicesDocument, {});
  return (
    <>
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={10} />}
      {data?.senders.some(({ approved }) => approved) === false && (
        <Empty title="No sender is approved yet">
          <p>Once the operator has approved one, you can send from it.</p>
          <Link to="/senders">Senders</Link>
        </Empty>
      )}
      {data?.senders.some(({ approved }) => approved) && <Composer senders={data.senders} />}
    </>
  );
}
