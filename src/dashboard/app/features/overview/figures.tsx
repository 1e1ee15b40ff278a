/** Four numbers with those of the time before beside them; each leads to the log that proves it. */
import { Fragment, type ReactNode } from 'react';
import { Link } from 'react-router';
import type { OverviewQuery } from '../../api/operations.generated.ts';
import { attemptsLink, sendsLink } from '../../ui/log-link.ts';
import { lastsWord, percent, shownNumber } from '../../ui/words.ts';
import { CountChange, RateChange } from './change.tsx';
import styles from './overview.module.css';

/** The answer of the overview query. */
export type OverviewData = OverviewQuery['overview'];

/** The numbers. `before` is the name of the time before: `yesterday`. */
export function Figures({ overview, before }: { readonly overview: OverviewData; readonly before: string }): ReactNode {
  const { totals, previousTotals, otps, previousOtps, creditsLeft, creditsLastDays, from, to } = overview;
  const log = (filter: Readonly<Record<string, string>>): string => attemptsLink({ from, to, ...filter });
  return (
    <div className={styles.figures}>
      <Figure
        name="Sent"
        value={shownNumber(totals.accepted)}
        to={log({ type: 'ATTEMPT', status: 'SENT,DELIVERED,READ' })}
        change={<CountChange now={totals.accepted} before={previousTotals.accepted} />}
      >
        {joined(`of ${shownNumber(totals.attempts)} attempts`, `${shownNumber(previousTotals.accepted)} ${before}`)}
      </Figure>
      <Figure
        name="Success rate"
        value={rate(totals.successRate)}
        to={log({ type: 'ATTEMPT', status: 'FAILED,EXPIRED' })}
        change={<RateChange now={totals.successRate} before={previousTotals.successRate} />}
      >
        {totals.successRate === null
          ? 'nothing has ended yet'
          : joined(failedWord(overview), earlier(previousTotals.successRate, before))}
      </Figure>
      <Figure
        name="OTP conversion"
        value={rate(otps.conversionRate)}
        to={sendsLink({ from, to, type: 'OTP_ATTEMPT', status: 'VERIFIED' })}
        change={<RateChange now={otps.conversionRate} before={previousOtps.conversionRate} />}
      >
        {otps.sent === 0
          ? 'no passcode was sent'
          : joined(
              `${shownNumber(otps.verified)} of ${shownNumber(otps.sent)} verified`,
              earlier(previousOtps.conversionRate, before),
            )}
      </Figure>
      <Figure name="Credits left" value={shownNumber(creditsLeft)} to="/credits">
        {joined(
          `${shownNumber(totals.credits)} spent`,
          creditsLastDays === null ? null : `they last ${lastsWord(creditsLastDays)}`,
        )}
      </Figure>
    </div>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: string;
  readonly to: string;
  readonly change?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Link className={styles.figure} to={props.to}>
      <span>{props.name}</span>
      <strong>{props.value}</strong>
      {props.change}
      <span>{props.children}</span>
    </Link>
  );
}

/** `12 failed`, and those that expired, if any did; the log lists both. */
function failedWord({ totals, buckets }: OverviewData): string {
  const expired = buckets.reduce((sum, { status, attempts }) => sum + (status === 'EXPIRED' ? attempts : 0), 0);
  const failed = `${shownNumber(totals.failed - expired)} failed`;
  return expired === 0 ? failed : `${failed}, ${shownNumber(expired)} expired`;
}

/** The rate of the time before, with its name; null: nothing was counted. */
function earlier(value: number | null, before: string): string | null {
  return value === null ? null : `${rate(value)} ${before}`;
}

/** Parts that a narrow screen puts on lines of their own, without the dot between them. */
function joined(...parts: readonly (string | null)[]): ReactNode {
  const given = parts.filter(part => part !== null);
  return given.map((part, at) => (
    <Fragment key={part}>
      {at > 0 && <span className={styles.dot}> · </span>}
      <span className={styles.part}>{part}</span>
    </Fragment>
  ));
}

/** `97.3 %`; a dash where nothing was counted. */
export function rate(value: number | null): string {
  return value === null ? '–' : percent(value, 1);
}
