/** The open invitations of an account. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAnswer, useChange } from '../../../api/hooks.ts';
import { InvitationsDocument, RevokeInvitationDocument } from '../../../api/operations.generated.ts';
import { useAskedAccount } from '../../../frame/session/whose.ts';
import { FailureNote } from '../../../ui/feedback.tsx';
import { Status } from '../../../ui/status.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/times.tsx';
import { sentence } from '../../../ui/words.ts';

/** The list; nothing where nobody is invited. */
export function Invitations(): ReactNode {
  const { data, error, refetch } = useAnswer(InvitationsDocument, useAskedAccount());
  const revoke = useChange(RevokeInvitationDocument);
  const failure = error ?? revoke.error;
  const open = data?.invitations.filter(({ acceptedAt }) => acceptedAt === null) ?? [];
  return (
    <>
      {failure && <FailureNote failure={failure} retry={refetch} />}
      {open.length > 0 && (
        <Table
          label="Invitations"
          rows={open}
          keyOf={({ invitationId }) => invitationId}
          columns={[
            { head: 'Invited', cell: ({ email }) => email, isMain: true },
            { head: 'Role', cell: ({ role }) => sentence(role) },
            {
              head: 'State',
              cell: ({ expiresAt }) =>
                Date.parse(expiresAt) <= Date.now() ? (
                  <Status status="EXPIRED" />
                ) : (
                  <span>
                    <Status status="WAITING" /> <span className="quiet">until</span> <Time at={expiresAt} isMoment />
                  </span>
                ),
            },
            {
              head: 'Actions',
              cell: ({ invitationId, email }) => (
                <Button
                  variant="default"
                  size="compact-xs"
                  aria-label={`Take back the invitation of ${email}`}
                  loading={revoke.isPending && revoke.variables.invitationId === invitationId}
                  onClick={() => revoke.mutate({ invitationId })}
                >
                  Take back
                </Button>
              ),
            },
          ]}
        />
      )}
    </>
  );
}
