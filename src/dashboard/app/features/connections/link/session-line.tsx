/** A linked number: how its session is, what it has sent, and what it may send. */
import type { ReactNode } from 'react';
import type { ConnectionFragment } from '../../../api/operations.generated.ts';
import { Facts } from '../../../ui/facts/facts.tsx';
import { Status } from '../../../ui/status.tsx';
import { Time } from '../../../ui/times.tsx';
import { phoneWord } from '../../../ui/words.ts';

/** The provider whose numbers are linked. */
export const LINKED_PROVIDER = 'chat-qr';

type Session = NonNullable<ConnectionFragment['session']>;

const STATES: Readonly<Record<Session['state'], readonly [status: string, word: string]>> = {
  UNLINKED: ['UNTRIED', 'not linked'],
  LINKED: ['UP', 'linked'],
  RELINK: ['DOWN', 'link it again'],
  BANNED: ['DOWN', 'banned'],
  REPLACED: ['DOWN', 'open elsewhere'],
  OUTDATED: ['DOWN', 'outdated'],
};

/** The facts of the session; none where the number was never linked. */
export function SessionLine({ connection }: { readonly connection: ConnectionFragment }): ReactNode {
  const { session, provider, config } = connection;
  if (provider !== LINKED_PROVIDER) return null;
  const number = typeof config?.number === 'string' ? phoneWord(config.number) : 'The number';
  if (!session || session.state === 'UNLINKED') return <p>{number} is not linked to a phone yet.</p>;
  const [status, word] = STATES[session.state];
  return (
    <Facts
      facts={[
        { name: 'Number', value: number },
        {
          name: 'Phone',
          value: (
            <>
              <Status status={status} word={word} /> since <Time at={sinceOf(session)} isMoment />
            </>
          ),
        },
        ...(session.lastAckAt ? [{ name: 'Last text taken', value: <Time at={session.lastAckAt} /> }] : []),
        ...paceOf(session),
      ]}
    />
  );
}

/** The age of a linked number counts from its link, whatever was closed and opened since. */
function sinceOf({ state, linkedAt, since }: Session): string {
  return (state === 'LINKED' && linkedAt) || since;
}

function paceOf({ pace, lockedSince, lockedUntil, newChats }: Session) {
  return [
    ...(pace
      ? [
          { name: 'Within a minute', value: `${pace.sentLastMinute} of ${pace.perMinute} texts` },
          { name: 'New people within a day', value: `${pace.newPeople} of ${pace.newPeopleAllowed}` },
        ]
      : []),
    ...(newChats === null
      ? []
      : [
          {
            name: 'New chats that WhatsApp allows',
            value: (
              <>
                {newChats.used} of {newChats.allowed}
                {newChats.until && (
                  <>
                    {' '}
                    until <Time at={newChats.until} isMoment />
                  </>
                )}
              </>
            ),
          },
        ]),
    ...(lockedSince
      ? [
          {
            name: 'Locked for new people',
            value: lockedUntil ? (
              <>
                until <Time at={lockedUntil} isMoment />
              </>
            ) : (
              'without a time told'
            ),
          },
        ]
      : []),
  ];
}
