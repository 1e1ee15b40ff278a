/** Creates a token, and shows it once. */
import { Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Link } from 'react-router';
import { DEFAULT_CHANNEL } from '../../api/channels.generated.ts';
import { useAnswer, useSecret } from '../../api/hooks.ts';
import { type Area, CreateTokenDocument, TokenSendersDocument } from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import { useAccountId, useAskedAccount } from '../../frame/session/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { ShownOnce, Snippet } from '../../ui/dialogs/once.tsx';
import { AREAS, curlOf } from './areas.ts';

const DAY_MS = 86_400_000;

const EXPIRIES = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
];

/** The dialog. */
export function NewToken({ close }: { readonly close: () => void }): ReactNode {
  const accountId = useAccountId();
  const create = useSecret(CreateTokenDocument);
  const { may } = useRights();
  // Tokens of this area may erase, too.
  const areas = Object.entries(AREAS).filter(([value]) => value !== 'MANAGEMENT' || may('ERASE'));
  const [area, setArea] = useState<Area>('UNIFIED');
  const [days, setDays] = useState('');
  if (create.data) return <Created area={area} secret={create.data.createToken.secret} close={close} />;
  const expiresAt = days === '' ? null : () => new Date(Date.now() + Number(days) * DAY_MS).toISOString();
  return (
    <FormDialog
      title="Create token"
      button="Create token"
      failure={create.error}
      fields={['name', 'area', 'expiresAt']}
      isBusy={create.isPending}
      close={close}
      submit={({ name = '' }) =>
        create.mutate({ input: { accountId, area, name: name.trim() || null, expiresAt: expiresAt?.() ?? null } })
      }
    >
      <TextInput
        name="name"
        label="Name"
        description="The program that uses it, so that you know which one to revoke; optional"
        placeholder="Shop server"
        autoComplete="off"
        error={faultAt(create.error, 'name')}
        data-autofocus
      />
      <Select
        label="Area"
        description={AREAS[area].opens}
        data={areas.map(([value, { name }]) => ({ value, label: name }))}
        value={area}
        allowDeselect={false}
        onChange={value => value && setArea(value as Area)}
        error={faultAt(create.error, 'area')}
      />
      <Select
        label="Expires"
        data={EXPIRIES}
        value={days}
        allowDeselect={false}
        onChange={value => setDays(value ?? '')}
        error={faultAt(create.error, 'expiresAt')}
      />
    </FormDialog>
  );
}

function Created({
  area,
  secret,
  close,
}: {
  readonly area: Area;
  readonly secret: string;
  readonly close: () => void;
}): ReactNode {
  const { data } = useAnswer(TokenSendersDocument, useAskedAccount());
  const approved = data?.senders.filter(({ channel, approved }) => channel === DEFAULT_CHANNEL && approved) ?? [];
  const sender = (approved.find(({ isDefault }) => isDefault) ?? approved[0])?.name ?? null;
  const command = curlOf(area, secret, sender);
  return (
    <ShownOnce title="Token created" text={secret} label="Copy the token" close={close}>
      <p style={{ margin: 0 }}>Keep it now: it is shown this once.{command !== null && ' Try it:'}</p>
      {command !== null && <Snippet text={command} label="Copy the command" />}
      {command === null && data && (
        <p style={{ margin: 0 }}>
          Before it can send, the account needs an approved SMS sender: <Link to="/senders">add one</Link>.
        </p>
      )}
    </ShownOnce>
  );
}
