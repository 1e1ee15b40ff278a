/** The inbox of the sandbox: what its phones received, as they would show it. */
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useRights } from '../../frame/session.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import styles from './inbox.module.css';
import { NoPhones, SandboxOff } from './nothing.tsx';
import { PhoneList } from './phone-list.tsx';
import { Thread } from './thread.tsx';
import { usePhones } from './use-phones.ts';

/** The page: the phones on the left, one of them on the right; side by side where there is room, else one at a time. */
export function Inbox(): ReactNode {
  const { phone } = useParams();
  const phones = usePhones();
  const { mayChange } = useRights();
  return (
    <Page
      title="Inbox"
      about="What the phones of the sandbox received. Texts are kept for a day, and reach no real phone."
    >
      {phones.isOff && <SandboxOff />}
      {phones.failure && !phones.isOff && <FailureNote failure={phones.failure} retry={phones.retry} />}
      {!phones.list && !phones.failure && <Loading lines={6} height={52} />}
      {!mayChange && !phones.isOff && (
        <p className="quiet">A viewer sees no texts and no codes: a developer or an owner of the account does.</p>
      )}
      {phones.list?.length === 0 && !phone && <NoPhones />}
      {phones.list && (phones.list.length > 0 || phone) && (
        <div className={styles.inbox} data-thread={phone !== undefined || undefined}>
          <PhoneList phones={phones.list} />
          {phone ? (
            <Thread key={phone} phone={phone.replace(/^\+/, '')} markSeen={phones.markSeen} />
          ) : (
            <p className={styles.choose}>Choose a phone to read what came to it.</p>
          )}
        </div>
      )}
    </Page>
  );
}
