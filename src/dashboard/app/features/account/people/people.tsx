/** The people who may sign in. */
import { Box, Button, Group, Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer, useChange } from '../../../api/hooks.ts';
import {
  PeopleDocument,
  type PersonFragment,
  type Role,
  UpdateUserDocument,
} from '../../../api/operations.generated.ts';
import { NotAllowed } from '../../../frame/not-allowed.tsx';
import { useRights, useViewer } from '../../../frame/session/session.tsx';
import { useAskedAccount } from '../../../frame/session/whose.ts';
import { FailureNote, Loading } from '../../../ui/feedback.tsx';
import { Section } from '../../../ui/page.tsx';
import { Status } from '../../../ui/status.tsx';
import { type Column, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/times.tsx';
import { useUrlState } from '../../../ui/url-state.ts';
import { sentence } from '../../../ui/words.ts';
import { FactorRule } from './factor-rule.tsx';
import { Invitations } from './invitations.tsx';
import { InviteUser } from './invite-user.tsx';
import { RemoveUser } from './remove-user.tsx';
import { choicesOf, useRoles } from './roles.tsx';
import { TakeFactorAway } from './take-factor-away.tsx';

/** The section. Owners invite people, give them roles and remove them. */
export function People(): ReactNode {
  const { data, error, refetch } = useAnswer(PeopleDocument, useAskedAccount());
  const { isOwner } = useRights();
  const own = useViewer().user?.userId;
  const roles = choicesOf(useRoles());
  const update = useChange(UpdateUserDocument);
  const [params, change] = useUrlState();
  const [removed, setRemoved] = useState<PersonFragment | null>(null);
  const [bereft, setBereft] = useState<PersonFragment | null>(null);
  const columns: Column<PersonFragment>[] = [
    {
      head: 'Person',
      cell: ({ email, name, userId }) => (
        <span>
          {email} {name && <span className="quiet">{name}</span>} {userId === own && <span className="quiet">you</span>}
        </span>
      ),
      isMain: true,
    },
    {
      head: 'Role',
      cell: ({ userId, email, role, hasPassword }) =>
        isOwner && hasPassword ? (
          <Select
            aria-label={`Role of ${email}`}
            w={120}
            data={roles}
            value={role}
            allowDeselect={false}
            disabled={update.isPending}
            onChange={value => value && update.mutate({ input: { userId, role: value as Role } })}
          />
        ) : (
          sentence(role)
        ),
    },
    {
      head: 'Second factor',
      cell: ({ secondFactorSince, hasPassword }) => {
        if (!hasPassword) return <span className="quiet">by the provider</span>;
        return secondFactorSince ? <Status status="ACTIVE" word="on" /> : <Status status="OFF" />;
      },
    },
    { head: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      head: 'Actions',
      cell: person =>
        isOwner && (
          <Group gap="xs">
            <Button
              variant="default"
              size="compact-xs"
              aria-label={`Remove ${person.email}`}
              onClick={() => setRemoved(person)}
            >
              Remove
            </Button>
            {person.secondFactorSince && person.userId !== own && (
              <Button
                variant="default"
                size="compact-xs"
                aria-label={`Take factor away from ${person.email}`}
                onClick={() => setBereft(person)}
              >
                Take factor away
              </Button>
            )}
          </Group>
        ),
    },
  ];
  return (
    <Section
      title="People"
      actions={
        isOwner && (
          <Button variant="default" onClick={() => change({ act: 'invite' })}>
            Invite person
          </Button>
        )
      }
    >
      {!isOwner && params.get('act') === 'invite' && <NotAllowed what="invite people" needs="owner" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {update.error && <FailureNote failure={update.error} />}
      {!data && !error && <Loading lines={2} />}
      {data && <Table label="People" rows={data.users} keyOf={({ userId }) => userId} columns={columns} />}
      {isOwner && (
        <Box mt="lg">
          <FactorRule />
          <Invitations />
        </Box>
      )}
      {isOwner && params.get('act') === 'invite' && <InviteUser close={() => change({ act: null })} />}
      {bereft && <TakeFactorAway person={bereft} close={() => setBereft(null)} />}
      {removed && <RemoveUser person={removed} close={() => setRemoved(null)} />}
    </Section>
  );
}
