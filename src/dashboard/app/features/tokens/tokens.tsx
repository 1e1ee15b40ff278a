/** The tokens: what programs sign in with. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { type TokenFragment, type TokenMaker, TokensDocument } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { ShownId } from '../../ui/copy/copy.tsx';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { AREAS } from './areas.ts';
import { NewToken } from './new-token.tsx';
import { RenameToken } from './rename-token.tsx';
import { RevokeToken } from './revoke-token.tsx';

/** The makers of tokens in words, for one without a known email. */
const MAKERS: Readonly<Record<TokenMaker, string>> = {
  OPERATOR: 'the operator',
  COMMAND_LINE: 'the operator at the command line',
  USER: 'a person',
  GATEWAY: 'the gateway',
};

/** The page. */
export function Tokens(): ReactNode {
  const { data, error, refetch } = useAnswer(TokensDocument, useAskedAccount());
  const { mayChange } = useRights();
  const [params, change] = useUrlState();
  const [renaming, setRenaming] = useState<TokenFragment | null>(null);
  const [revoking, setRevoking] = useState<TokenFragment | null>(null);
  const create = mayChange && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => change({ new: '1' })}>
      Create token
    </Button>
  );
  const columns: Column<TokenFragment>[] = [
    { head: 'Name', cell: ({ name }) => (name === null ? <span className="quiet">no name</span> : name), isMain: true },
    { head: 'Area', cell: ({ area }) => AREAS[area].name },
    { head: 'Begins with', cell: ({ prefix }) => <code>{prefix}…</code> },
    { head: 'Token id', cell: ({ tokenId }) => <ShownId id={tokenId} /> },
    { head: 'State', cell: token => <Status {...stateOf(token)} /> },
    {
      head: 'Created',
      cell: ({ createdAt, madeBy, makerEmail }) => (
        <Named at={createdAt} more={madeBy && `by ${makerEmail ?? MAKERS[madeBy]}`} />
      ),
    },
    {
      head: 'Last used',
      cell: ({ lastUsedAt, lastUsedFrom }) =>
        lastUsedAt ? <Named at={lastUsedAt} more={lastUsedFrom && `from ${lastUsedFrom}`} /> : 'never',
    },
    {
      head: 'Expires',
      cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : 'never'),
    },
    {
      head: 'Actions',
      cell: token =>
        mayChange &&
        token.revokedAt === null && (
          <Button.Group>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`Rename ${token.name ?? token.prefix}`}
              onClick={() => setRenaming(token)}
            >
              Rename
            </Button>
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`Revoke ${token.name ?? token.prefix}`}
              onClick={() => setRevoking(token)}
            >
              Revoke
            </Button>
          </Button.Group>
        ),
    },
  ];
  return (
    <Page
      title="Tokens"
      about="Programs sign in with tokens. Each token opens one area and nothing else."
      actions={create}
    >
      {!mayChange && params.has('new') && <NotAllowed what="create tokens" needs="developer" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data?.tokens.length === 0 && (
        <Empty title="No token yet">
          <p>Create one to send from a program. It is shown once.</p>
          {create}
        </Empty>
      )}
      {data && data.tokens.length > 0 && (
        <Table label="Tokens" rows={[...data.tokens].reverse()} keyOf={({ tokenId }) => tokenId} columns={columns} />
      )}
      {mayChange && params.get('new') === '1' && <NewToken close={() => change({ new: null })} />}
      {renaming && <RenameToken token={renaming} close={() => setRenaming(null)} />}
      {revoking && <RevokeToken token={revoking} close={() => setRevoking(null)} />}
    </Page>
  );
}

function Named({ at, more = null }: { readonly at: string; readonly more?: string | null }): ReactNode {
  return (
    <>
      <Time at={at} />
      {more !== null && (
        <span className="quiet" style={{ overflowWrap: 'anywhere' }}>
          {' '}
          {more}
        </span>
      )}
    </>
  );
}

function stateOf({ revokedAt, expiresAt }: TokenFragment): { status: string } {
  if (revokedAt !== null) return { status: 'REVOKED' };
  return { status: expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'EXPIRED' : 'ACTIVE' };
}
