/** The inbox of the sandbox: what its phones received, as they would show it. */
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useRights } from '../../frame/session.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import styles from './inbox.module.css';
import { NoPhones, SandboxOff } from './nothing.tsx';
import { PhoneList } from './phone-list.tsx';
import { Thread } from './thread.tsx';
import { usePhones } from './use-phones.ts';

/** The page. */
export function Inbox(): ReactNode {
  const { may } = useRights();
  return (
    <Page
      title="Inbox"
      about="What the phones of the sandbox received. Texts are kept for a day, and reach no real phone."
    >
      {may('CODES') ? (
        <Phones />
      ) : (
        <Empty title={may('TEXTS') ? 'Support sees no codes' : 'A viewer sees no texts and no codes'}>
          <p>An owner of the account can make you a developer, who sees them.</p>
        </Empty>
      )}
    </Page>
  );
}

/** The phones on the left, one of them on the right; side by side where there is room, else one at a time. */
function Phones(): ReactNode {
  const { phone } = useParams();
  const { list, failure, isOff, retry, markSeen, markAllSeen } = usePhones();
  if (isOff) return <SandboxOff />;
  if (!list && failure) return <FailureNote failure={failure} retry={retry} />;
  if (!list) return <Loading lines={6} height={52} />;
  if (list.length === 0 && !phone) return <NoPhones />;
  return (
    <div className={styles.inbox} data-thread={phone !== undefined || undefined}>
      <PhoneList phones={list} markAllSeen={markAllSeen} />
      {phone ? (
        <Thread key={phone} phone={phone.replace(/^\+/, '')} markSeen={markSeen} />
      ) : (
        <p className={styles.choose}>Choose a phone to read what came to it.</p>
      )}
    </div>
  );
}
