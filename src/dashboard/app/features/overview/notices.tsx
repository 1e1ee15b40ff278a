/** Notices of faults: each says what happened and when, and links to the page that mends it. */
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { attemptsLink } from '../../ui/log-link.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/times.tsx';
import { counted, waitingWord } from '../../ui/words.ts';
import type { OverviewData } from './figures.tsx';
import styles from './overview.module.css';

type Notice = OverviewData['notices'][number];

/** The error codes of the fraud guard: an entry of its types with another code is not its doing. */
const GUARD_CODES = 'country_not_allowed,number_type_refused,too_many_unverified';

/** The list. */
export function Notices({ overview }: { readonly overview: OverviewData }): ReactNode {
  return (
    <ul className={styles.notices}>
      {overview.notices.map(notice => {
        const { status, words, to } = shown(notice, overview);
        return (
          <li key={`${notice.kind} ${notice.subject ?? notice.name}`}>
            <Status {...status} />
            {to === null ? words : <Link to={to}>{words}</Link>}
            <span className="quiet">
              <Time at={notice.at} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

interface Shown {
  readonly status: { readonly status: string; readonly word?: string };
  readonly words: string;
  /** Null: it is mended at no page of the account. */
  readonly to: string | null;
}

/** The page of a connection. A shared one is in no list of an account. */
const connectionLink = (subject: string | null): string | null => subject && `/connections?open=${subject}`;

function shown(
  { kind, subject, name, reason, meaning, count }: Notice,
  { from, to }: Pick<OverviewData, 'from' | 'to'>,
): Shown {
  switch (kind) {
    case 'ENDPOINT_DISABLED': {
      const why = reason === 'gone' ? 'it answered 410 Gone' : 'nothing but failures for five days';
      return { status: { status: 'DISABLED' }, words: `Endpoint ${name}: ${why}`, to: `/webhooks/${subject}` };
    }
    case 'ENDPOINT_FAILING': {
      const waiting = count ? `, and ${waitingWord(count)}` : '';
      return {
        status: { status: 'RETRYING' },
        words: `Endpoint ${name}: every try fails${waiting}`,
        to: `/webhooks/${subject}${count ? '?status=PENDING' : ''}`,
      };
    }
    case 'CONNECTION_DOWN':
      return {
        status: { status: 'DOWN' },
        words: `Connection ${name}${reason ? `: ${reason}` : ''}`,
        to: connectionLink(subject),
      };
    case 'QUOTA_LOW': {
      const isRed = reason === 'quality';
      return {
        status: { status: 'FLAGGED', word: isRed ? 'red' : 'low' },
        words: isRed
          ? `People complain about ${name}: its quality is red`
          : `${name} is near the number of people that it may write to within 24 hours`,
        to: connectionLink(subject),
      };
    }
    case 'NUMBER_LOCKED':
      return {
        status: { status: 'FLAGGED', word: 'locked' },
        words: `WhatsApp lets ${name} write to nobody new for now`,
        to: connectionLink(subject),
      };
    case 'BALANCE_LOW':
      return { status: { status: 'FLAGGED', word: 'low' }, words: 'The balance is low', to: '/credits' };
    case 'GUARD_STOPPED':
    case 'GUARD_FLAGGED': {
      const isStopped = kind === 'GUARD_STOPPED';
      return {
        status: { status: isStopped ? 'BLOCKED' : 'FLAGGED' },
        words: `The fraud guard ${isStopped ? 'stopped' : 'flagged'} ${counted(count ?? 0, 'passcode')}. The last one: ${meaning}`,
        to: attemptsLink({ from, to, type: isStopped ? 'OTP_BLOCKED' : 'OTP_FLAGGED', errorCode: GUARD_CODES }),
      };
    }
  }
}
