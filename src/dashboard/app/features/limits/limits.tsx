/** The limits and the fraud guard: what is set, and what was stopped and why. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { type FraudMode, LimitsDocument, type LimitsQuery } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { type Fact, Facts } from '../../ui/facts/facts.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { counted, phoneWord } from '../../ui/words.ts';
import { LimitsForm } from './limits-form.tsx';

/** The page. */
export function Limits(): ReactNode {
  const { data, error, refetch } = useAnswer(LimitsDocument, useAskedAccount());
  const { isOperator } = useRights();
  const [params, change] = useUrlState();
  return (
    <Page
      title="Limits"
      about="How your account, and the phones that you send to, are protected from abuse."
      actions={isOperator && data && <Button onClick={() => change({ act: 'edit' })}>Change limits</Button>}
    >
      {!isOperator && params.has('act') && <NotAllowed what="change limits" needs="operator" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={10} />}
      {data && (
        <>
          <Section title="Fraud guard">
            <Facts facts={guardFacts(data.otpSettings)} />
          </Section>
          <Section title="Limits">
            <Facts facts={limitFacts(data)} />
          </Section>
          <Section title="What was stopped" actions={<LogLinks />}>
            <Stopped rows={data.stopped.nodes} />
          </Section>
        </>
      )}
      {isOperator && data && params.get('act') === 'edit' && (
        <LimitsForm settings={data.otpSettings} close={() => change({ act: null })} />
      )}
    </Page>
  );
}

const MODES: Readonly<Record<FraudMode, { readonly name: string; readonly about: string }>> = {
  OFF: { name: 'off', about: 'Nothing is checked.' },
  OBSERVE: { name: 'observes', about: 'Passcodes go out, and the log says which it would have refused.' },
  BLOCK: { name: 'blocks', about: 'Passcodes that look like fraud are refused.' },
};

function guardFacts({ fraudMode, countries }: LimitsQuery['otpSettings']): Fact[] {
  const isAll = countries === null || countries.includes('*');
  return [
    { name: 'Fraud guard', value: MODES[fraudMode].name, about: MODES[fraudMode].about },
    {
      name: 'Countries',
      value: isAll ? (countries === null ? 'not chosen: every country' : 'every country') : countries.join(', '),
      about: 'Passcodes to phones of other countries are refused where the guard blocks.',
    },
  ];
}

function limitFacts({ account, otpSettings }: LimitsQuery): Fact[] {
  const { cooldownSeconds, sendsPerHour, sendsPerDay, sendsPerAddress } = otpSettings;
  const { wrongCodesPerDay, wrongCodesPerAddress, wrongCodesPerAccount } = otpSettings;
  return [
    {
      name: 'Requests of a token',
      value: account.rateLimit === null ? 'no limit' : `${account.rateLimit} a second`,
      ...(account.rateLimit !== null && {
        about: 'Above that, requests are refused with 429 rate_limited and the time to wait.',
      }),
    },
    {
      name: 'Between passcodes',
      value: counted(cooldownSeconds, 'second'),
      about: 'Before another passcode can go to the same phone.',
    },
    {
      name: 'Passcodes to a phone',
      value: `${sendsPerHour} an hour, ${sendsPerDay} a day`,
      about: 'More are refused.',
    },
    {
      name: 'Passcodes for an address',
      value: sendsPerAddress === null ? 'no limit' : `${sendsPerAddress} an hour`,
      about: 'For sends that name the user’s address.',
    },
    {
      name: 'Wrong codes of a phone',
      value: `${wrongCodesPerDay} a day`,
      about: 'Over all of its passcodes. After that, its codes are refused.',
    },
    {
      name: 'Wrong codes of an address',
      value: `${wrongCodesPerAddress} in 5 minutes`,
      about: 'From one network address, whatever the phone.',
    },
    {
      name: 'Wrong codes of the account',
      value: wrongCodesPerAccount === null ? 'no limit' : `${wrongCodesPerAccount} a minute`,
      about: 'Over all tokens, phones and addresses. The operator is notified.',
    },
  ];
}

function LogLinks(): ReactNode {
  return (
    <>
      <Link to="/logs?type=OTP_BLOCKED&span=30d">Blocked in the log</Link>
      <Link to="/logs?type=OTP_FLAGGED&span=30d">Flagged in the log</Link>
    </>
  );
}

function Stopped({ rows }: { readonly rows: LimitsQuery['stopped']['nodes'] }): ReactNode {
  const { may } = useRights();
  if (rows.length === 0)
    return (
      <Empty title="Nothing was stopped">
        <p>A passcode that the guard refuses or would refuse shows here, with the reason.</p>
      </Empty>
    );
  return (
    <Table
      label="What was stopped"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'What',
          cell: ({ type }) => <Status status={type === 'OTP_BLOCKED' ? 'BLOCKED' : 'FLAGGED'} />,
          isMain: true,
        },
        { head: 'When', cell: ({ createdAt }) => <Time at={createdAt} /> },
        { head: 'Phone', cell: ({ recipient }) => phoneWord(recipient) },
        { head: 'Code', cell: ({ errorCode }) => errorCode && <code>{errorCode}</code> },
        { head: 'Why', cell: ({ errorMessage }) => errorMessage },
        {
          head: 'Log',
          cell: ({ pinId, recipient, type }) => (
            <Link
              to={`/logs?${new URLSearchParams({ span: '30d', type, ...(may('NUMBERS') && { recipient: `+${recipient}` }), ...(pinId && { open: pinId }) })}`}
            >
              Open in the log
            </Link>
          ),
        },
      ]}
    />
  );
}
