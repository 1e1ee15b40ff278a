/** The sessions of a person, with a button that ends each. */
import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer, useChange } from '../../api/hooks.ts';
import {
  RevokeSessionDocument,
  SessionsDocument,
  type SessionsQuery,
  SignOutEverywhereDocument,
} from '../../api/operations.generated.ts';
import { useViewer } from '../../frame/session/session.tsx';
import { useSignOut } from '../../frame/session/use-sign-out.ts';
import { Confirm } from '../../ui/dialogs/confirm.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { Section } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/times.tsx';

type Session = SessionsQuery['sessions'][number];

/** The section. The operator has no password to change. */
export function Sessions({ changePassword }: { readonly changePassword: () => void }): ReactNode {
  const { data, error, refetch } = useAnswer(SessionsDocument, {});
  const viewer = useViewer();
  const current = viewer.session?.sessionId;
  const revoke = useChange(RevokeSessionDocument);
  const everywhere = useSignOut(SignOutEverywhereDocument);
  const [isAsking, setAsking] = useState(false);
  const columns: Column<Session>[] = [
    { head: 'Browser', cell: ({ userAgent }) => browserWord(userAgent), isMain: true },
    { head: 'State', cell: ({ sessionId }) => sessionId === current && <Status status="ACTIVE" word="this one" /> },
    { head: 'Address', cell: ({ clientAddress }) => <code>{clientAddress}</code> },
    { head: 'Last seen', cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
    { head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      head: 'Actions',
      cell: ({ sessionId }) =>
        sessionId !== current && (
          <Button
            variant="default"
            size="compact-xs"
            loading={revoke.isPending && revoke.variables.sessionId === sessionId}
            onClick={() => revoke.mutate({ sessionId })}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <Section
      title="Where you are signed in"
      actions={
        <>
          {viewer.user?.hasPassword && (
            <Button variant="default" onClick={changePassword}>
              Change password
            </Button>
          )}
          <Button variant="default" onClick={() => setAsking(true)}>
            Sign out everywhere
          </Button>
        </>
      }
    >
      {error && <FailureNote failure={error} retry={refetch} />}
      {revoke.error && <FailureNote failure={revoke.error} />}
      {!data && !error && <Loading lines={2} />}
      {data && <Table label="Sessions" rows={data.sessions} keyOf={({ sessionId }) => sessionId} columns={columns} />}
      {isAsking && (
        <Confirm
          title="Sign out everywhere"
          button="Sign out everywhere"
          failure={everywhere.error}
          isBusy={everywhere.isPending}
          close={() => setAsking(false)}
          confirm={() => everywhere.mutate()}
        >
          Every browser that you are signed in with is signed out, this one too. Tokens of programs stay.
        </Confirm>
      )}
    </Section>
  );
}

/** `Chrome on Linux`: what tells the browsers of one person apart. */
function browserWord(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown browser';
  const [, browser] = /(Firefox|Edg|OPR|Chrome|Safari|curl)\//.exec(userAgent) ?? [];
  const [system] = /Windows|Android|iPhone|iPad|Mac OS X|Linux/.exec(userAgent) ?? [];
  const name = browser === 'Edg' ? 'Edge' : browser === 'OPR' ? 'Opera' : browser;
  return name ? [name, system].filter(Boolean).join(' on ') : userAgent;
}
