/** The credits: what is left, how long it lasts, and every change of it. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { CreditsDocument, type CreditsQuery } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { type Fact, Facts } from '../../ui/facts/facts.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { counted, lastsWord, shownNumber } from '../../ui/words.ts';
import { AdjustBalance } from './adjust-balance.tsx';
import { CreditDays } from './days.tsx';
import { Ledger } from './ledger.tsx';
import { SetAlerts } from './set-alerts.tsx';

/** The page. */
export function Credits(): ReactNode {
  const { data, error, refetch } = useAnswer(CreditsDocument, useAskedAccount());
  const { isOperator } = useRights();
  const [params, change] = useUrlState();
  const close = () => change({ act: null });
  const act = isOperator ? params.get('act') : null;
  return (
    <Page
      title="Credits"
      about="One credit pays one segment of an SMS. Chat channels cost none."
      actions={
        isOperator && (
          <>
            <Button variant="default" onClick={() => change({ act: 'alerts' })}>
              Set alerts
            </Button>
            <Button onClick={() => change({ act: 'adjust' })}>Adjust balance</Button>
          </>
        )
      }
    >
      {!isOperator && params.has('act') && <NotAllowed what="change the credits" needs="operator" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data && <Facts facts={factsOf(data)} />}
      <CreditDays />
      <Section title="Ledger">
        <Ledger />
      </Section>
      {act === 'adjust' && <AdjustBalance close={close} />}
      {act === 'alerts' && data && <SetAlerts balance={data.balance} close={close} />}
    </Page>
  );
}

function factsOf({ balance }: CreditsQuery): Fact[] {
  const { credits, held, spentToday, dailySpendCap, lowBalanceThreshold, lowBalanceSince } = balance;
  const { perDay, lastsDays } = balance.forecast;
  return [
    { name: 'Balance', value: <strong>{counted(credits, 'credit')}</strong>, about: 'Can be spent now.' },
    { name: 'Held', value: counted(held, 'credit'), about: 'By sends whose outcome is not known yet.' },
    {
      name: 'Lasts',
      value: lastsDays === null ? 'nothing was spent in the last 7 days' : lastsWord(lastsDays),
      ...(lastsDays !== null && {
        about: `At the pace of the last 7 days: ${shownNumber(Math.round(perDay * 10) / 10)} a day.`,
      }),
    },
    {
      name: 'Spent today',
      value:
        dailySpendCap === null
          ? counted(spentToday, 'credit')
          : `${counted(spentToday, 'credit')} of at most ${counted(dailySpendCap, 'credit')}`,
      about: dailySpendCap === null ? 'There is no daily cap. Days are in UTC.' : 'Days are in UTC.',
    },
    {
      name: 'Alert',
      value: lowBalanceThreshold === null ? 'none' : `below ${counted(lowBalanceThreshold, 'credit')}`,
      ...(lowBalanceThreshold !== null && { about: 'The event balance.low tells your webhooks.' }),
    },
    ...(lowBalanceSince === null
      ? []
      : [
          {
            name: 'Low since',
            value: (
              <span>
                <Status status="WAITING" word="low" /> <Time at={lowBalanceSince} isMoment />
              </span>
            ),
          },
        ]),
  ];
}
