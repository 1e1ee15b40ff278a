/** The account: its plan, and where one is signed in. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { AccountPageDocument, type AccountPageQuery } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights, useViewer } from '../../frame/session/session.tsx';
import { ShownId } from '../../ui/copy/copy.tsx';
import { type Fact, Facts } from '../../ui/facts/facts.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';
import { countryName } from '../../ui/region/phone-book.ts';
import { Status } from '../../ui/status.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { counted, plainWord } from '../../ui/words.ts';
import { ChangePassword } from './people/change-password.tsx';
import { People } from './people/people.tsx';
import { RolesTable } from './people/roles.tsx';
import { PlanForm } from './plan-form.tsx';
import { RegionForm } from './region-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** The page. */
export function Account(): ReactNode {
  const { data, error, refetch } = useAnswer(AccountPageDocument, {});
  const { isOperator, mayChange } = useRights();
  const { user } = useViewer();
  const [params, change] = useUrlState();
  return (
    <Page
      title="Account"
      about="The plan of the account, who may sign in, and where you are signed in."
      actions={
        data && (
          <>
            {mayChange && (
              <Button variant="default" onClick={() => change({ act: 'region' })}>
                Change region
              </Button>
            )}
            {isOperator && <Button onClick={() => change({ act: 'plan' })}>Change plan</Button>}
          </>
        )
      }
    >
      {!isOperator && params.get('act') === 'plan' && <NotAllowed what="change the plan" needs="operator" />}
      {!mayChange && params.get('act') === 'region' && <NotAllowed what="change the region" needs="developer" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={8} />}
      {data && <Facts facts={factsOf(data.account)} />}
      <People />
      <RolesTable />
      <SecondFactor />
      <Sessions changePassword={() => change({ act: 'password' })} />
      {user?.hasPassword && params.get('act') === 'password' && <ChangePassword close={() => change({ act: null })} />}
      {mayChange && data && params.get('act') === 'region' && (
        <RegionForm account={data.account} close={() => change({ act: null })} />
      )}
      {isOperator && data && params.get('act') === 'plan' && (
        <PlanForm account={data.account} close={() => change({ act: null })} />
      )}
    </Page>
  );
}

function factsOf(account: AccountPageQuery['account']): Fact[] {
  const { accountId, name, createdAt, credits, unifiedApi, planExpiresAt, rateLimit, smartEncoding } = account;
  const { timeZone, country, fallbackAfter, successStatus } = account;
  const isOver = planExpiresAt !== null && Date.parse(planExpiresAt) <= Date.now();
  return [
    { name: 'Name', value: name },
    { name: 'Account id', value: <ShownId id={accountId} /> },
    { name: 'Created', value: <Time at={createdAt} /> },
    {
      name: 'Unified API',
      value: unifiedApi ? (
        <Status status={isOver ? 'EXPIRED' : 'ACTIVE'} word={isOver ? 'plan expired' : 'on'} />
      ) : (
        <Status status="OFF" />
      ),
      about: 'Messages over several channels, and webhooks.',
    },
    {
      name: 'Plan ends',
      value: planExpiresAt === null ? 'never' : <Time at={planExpiresAt} />,
      ...(isOver && { about: 'The operator of the gateway can extend it.' }),
    },
    { name: 'Requests of a token', value: rateLimit === null ? 'no limit' : `${rateLimit} a second` },
    {
      name: 'Smart encoding',
      value: smartEncoding ? 'on' : 'off',
      about: 'When it is on, typographic characters of an SMS go out as plain ones, which cost fewer segments.',
    },
    {
      name: 'Fallback in time',
      value: fallbackAfter === null ? 'off' : `after ${fallbackAfter} s, unless ${plainWord(successStatus)}`,
      about:
        'Where a channel accepts a text and it does not reach the phone by then, the next channel is used. A send may say otherwise.',
    },
    { name: 'Time zone', value: timeZone },
    {
      name: 'Country',
      value: country === null ? 'not set' : countryName(country),
      about: 'The search reads numbers without a country code as numbers of it.',
    },
    {
      name: 'Credits',
      value: (
        <span>
          {counted(credits, 'credit')} · <Link to="/credits">Open the ledger</Link>
        </span>
      ),
    },
  ];
}
