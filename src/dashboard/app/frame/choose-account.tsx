/** The page where an operator chooses the account to look at. */
import { TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../api/hooks.ts';
import { AccountsDocument, type AccountsQuery } from '../api/operations.generated.ts';
import { ShownId } from '../ui/copy/copy.tsx';
import { Empty, FailureNote, Loading } from '../ui/feedback.tsx';
import { Page } from '../ui/page.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/times.tsx';
import { percent, shownNumber } from '../ui/words.ts';
import { SandboxBadge } from './sandbox-badge.tsx';
import { chooseAccount } from './session/acting-account.ts';

/** The list of all accounts. */
export function ChooseAccount(): ReactNode {
  const { data, error, refetch } = useAnswer(AccountsDocument, {});
  const client = useQueryClient();
  const [words, setWords] = useState('');
  const figures = new Map(data?.accountFigures.map(figure => [figure.accountId, figure]));
  const rows = data?.accounts.filter(({ name, accountId }) =>
    `${name} ${accountId}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  return (
    <Page
      title="Choose an account"
      about="An operator sees each account as its owner does. Figures of the last ten minutes may be missing."
    >
      <TextInput
        aria-label="Find an account"
        placeholder="Name or id"
        value={words}
        onChange={event => setWords(event.currentTarget.value)}
        mb="md"
        maw={320}
      />
      {error && <FailureNote failure={error} retry={refetch} />}
      {!rows && !error && <Loading />}
      {rows?.length === 0 && (
        <Empty title="No account">
          <p>
            <code>npx heliograph account create &lt;name&gt;</code> makes one.
          </p>
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <Table
          label="Accounts"
          rows={rows}
          keyOf={({ accountId }) => accountId}
          open={({ accountId }) => {
            chooseAccount(accountId);
            void client.resetQueries();
          }}
          columns={[
            {
              head: 'Name',
              cell: ({ name, isSandboxed }) => (
                <span>
                  {name} {isSandboxed && <SandboxBadge />}
                </span>
              ),
              isMain: true,
            },
            { head: 'Account', cell: ({ accountId }) => <ShownId id={accountId} /> },
            { head: 'Unified API', cell: ({ unifiedApi }) => (unifiedApi ? 'on' : 'off') },
            { head: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
            {
              head: 'Attempts in 24 h',
              cell: ({ accountId }) => shownNumber(figures.get(accountId)?.attempts ?? 0),
              isNumber: true,
            },
            { head: 'Success rate', cell: ({ accountId }) => acceptedPart(figures.get(accountId)), isNumber: true },
            {
              head: 'Failed',
              cell: ({ accountId }) => shownNumber(figures.get(accountId)?.failed ?? 0),
              isNumber: true,
            },
            { head: 'Credits', cell: ({ credits }) => shownNumber(credits), isNumber: true },
          ]}
        />
      )}
    </Page>
  );
}

function acceptedPart(figures: AccountsQuery['accountFigures'][number] | undefined): string {
  const { accepted = 0, failed = 0 } = figures ?? {};
  return percent(accepted, accepted + failed);
}
