/** The roles: what each sees and does, as the gateway tells it. */
import type { ReactNode } from 'react';
import { useAnswer } from '../../../api/hooks.ts';
import { RolesDocument, type RolesQuery } from '../../../api/operations.generated.ts';
import { Section } from '../../../ui/page.tsx';
import { Table } from '../../../ui/table.tsx';
import { sentence } from '../../../ui/words.ts';

type Roles = RolesQuery['roles'];

/** The roles; none while they are not there. */
export function useRoles(): Roles {
  return useAnswer(RolesDocument, {}).data?.roles ?? [];
}

/** The choices of a role. */
export function choicesOf(roles: Roles): { readonly value: string; readonly label: string }[] {
  return roles.map(({ role }) => ({ value: role, label: sentence(role) }));
}

/** The section: every right, with the roles that have it. */
export function RolesTable(): ReactNode {
  const { data } = useAnswer(RolesDocument, {});
  if (!data) return null;
  return (
    <Section title="Roles">
      <Table
        label="Roles"
        rows={data.rights}
        keyOf={({ right }) => right}
        columns={[
          { head: 'May', cell: ({ meaning }) => sentence(meaning), isMain: true },
          {
            head: 'Who',
            cell: ({ right }) =>
              data.roles
                .filter(({ rights }) => rights.includes(right))
                .map(({ role }) => sentence(role))
                .join(', '),
          },
        ]}
      />
      <p className="quiet">
        Credits, plans, senders, connections and limits are changed by the operator of the gateway alone.
      </p>
    </Section>
  );
}
