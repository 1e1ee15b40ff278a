/** The phones of the sandbox: what they received, as they would show it. */
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useRights } from '../../frame/session/session.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { Panes } from '../../ui/threads/panes.tsx';
import { NoPhones, SandboxOff } from './nothing.tsx';
import { PhoneList } from './phone-list.tsx';
import { PhoneThread } from './thread.tsx';
import { usePhones } from './use-phones.ts';

/** The page. */
export function Phones(): ReactNode {
  const { may } = useRights();
  return (
    <Page title="Sandbox phones" about="What came to the phones of the sandbox within a day. No real phone is reached.">
      {may('CODES') ? (
        <Shown />
      ) : (
        <Empty title={may('TEXTS') ? 'Support sees no codes' : 'A viewer sees no texts and no codes'}>
          <p>An owner of the account can make you a developer, who sees them.</p>
        </Empty>
      )}
    </Page>
  );
}

/** The phones on the left, one of them on the right; side by side where there is room, else one at a time. */
function Shown(): ReactNode {
  const { phone } = useParams();
  const { list, failure, isOff, retry, markSeen, markAllSeen } = usePhones();
  if (isOff) return <SandboxOff />;
  if (!list && failure) return <FailureNote failure={failure} retry={retry} />;
  if (!list) return <Loading lines={6} height={52} />;
  if (list.length === 0 && !phone) return <NoPhones />;
  return (
    <Panes
      list={<PhoneList phones={list} markAllSeen={markAllSeen} />}
      thread={phone ? <PhoneThread key={phone} phone={phone.replace(/^\+/, '')} markSeen={markSeen} /> : null}
      choose="Choose a phone to read what came to it."
    />
  );
}
