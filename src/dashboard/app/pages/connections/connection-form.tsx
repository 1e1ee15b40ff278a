/** Creates or edits a connection. The inputs of its config come from the provider. */
import { NumberInput, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAnswer, useChange } from '../../api/hooks.ts';
import {
  type Channel,
  CreateConnectionDocument,
  ProvidersDocument,
  UpdateConnectionDocument,
} from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { type Fields, FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { FailureNote, Loading } from '../../ui/feedback.tsx';
import { channelWord } from '../../ui/words.ts';
import { ConfigInputs } from './config-inputs.tsx';
import { configOf, inputsOf, textsOf } from './config-schema.ts';
import type { Connection } from './connections.tsx';
import { PURPOSES, purposeOf } from './purposes.ts';

const FIELDS = ['name', 'provider', 'channel', 'purposes', 'countries', 'priority', 'weight'];

/** The dialog; null: it creates one. */
export function ConnectionForm({
  connection,
  close,
}: {
  readonly connection: Connection | null;
  readonly close: () => void;
}): ReactNode {
  const { data, error: unread } = useAnswer(ProvidersDocument, {});
  const [chosen, setProvider] = useState(connection?.provider ?? null);
  const [texts, setTexts] = useState(textsOf(connection?.config ?? null));
  const [broken, setBroken] = useState<readonly string[]>([]);
  const save = useSaving(connection, close);
  const provider = data?.providers.find(({ id }) => id === chosen) ?? (connection ? undefined : data?.providers[0]);
  const inputs = provider ? inputsOf(provider.configSchema) : [];
  const submit = (fields: Fields): void => {
    const read = configOf(inputs, texts);
    setBroken(read.broken);
    if (provider && read.broken.length === 0) save.run(provider.id, fields, read.config);
  };
  return (
    <FormDialog
      title={connection ? `Edit ${connection.name}` : 'Create connection'}
      button={connection ? 'Save changes' : 'Create connection'}
      failure={save.error}
      fields={[...FIELDS, ...inputs.map(({ name }) => `config.${name}`)]}
      isBusy={save.isBusy}
      isReady={provider !== undefined}
      close={close}
      submit={submit}
    >
      {unread && <FailureNote failure={unread} />}
      {!data && !unread && <Loading />}
      {provider && (
        <>
          {!connection && (
            <Select
              label="Provider"
              data={data?.providers.map(({ id, label }) => ({ value: id, label })) ?? []}
              value={provider.id}
              allowDeselect={false}
              error={faultAt(save.error, 'provider')}
              onChange={id => {
                setProvider(id);
                setTexts({});
              }}
            />
          )}
          <Where key={provider.id} channels={provider.channels} connection={connection} failure={save.error} />
          <ConfigInputs
            inputs={inputs}
            texts={texts}
            change={(name, text) => setTexts(before => ({ ...before, [name]: text }))}
            faultOf={name => (broken.includes(name) ? 'must be JSON' : faultAt(save.error, `config.${name}`))}
          />
        </>
      )}
    </FormDialog>
  );
}

/** What every connection has. */
function Where({
  channels,
  connection,
  failure,
}: {
  readonly channels: readonly Channel[];
  readonly connection: Connection | null;
  readonly failure: ReturnType<typeof useSaving>['error'];
}): ReactNode {
  return (
    <>
      <TextInput
        name="name"
        label="Name"
        withAsterisk
        defaultValue={connection?.name ?? ''}
        error={faultAt(failure, 'name')}
        data-autofocus
      />
      {!connection && (
        <Select
          name="channel"
          label="Channel"
          data={channels.map(value => ({ value, label: channelWord(value) }))}
          defaultValue={channels[0] ?? null}
          allowDeselect={false}
          error={faultAt(failure, 'channel')}
        />
      )}
      <Select
        name="purposes"
        label="Sends"
        data={PURPOSES.map(({ value, label }) => ({ value, label }))}
        defaultValue={purposeOf(connection?.purposes ?? null).value}
        allowDeselect={false}
        error={faultAt(failure, 'purposes')}
      />
      <TextInput
        name="countries"
        label="Countries"
        description="Of the recipients, like US, DE; empty: all"
        defaultValue={connection?.countries?.join(', ') ?? ''}
        error={faultAt(failure, 'countries')}
      />
      <NumberInput
        name="priority"
        label="Priority"
        description="The lowest goes first"
        defaultValue={connection?.priority ?? 100}
        hideControls
        error={faultAt(failure, 'priority')}
      />
      <NumberInput
        name="weight"
        label="Weight"
        description="How large a part it gets of the recipients of those with its priority"
        defaultValue={connection?.weight ?? 1}
        hideControls
        error={faultAt(failure, 'weight')}
      />
    </>
  );
}

function useSaving(connection: Connection | null, onSuccess: () => void) {
  const accountId = useAccountId();
  const create = useChange(CreateConnectionDocument);
  const update = useChange(UpdateConnectionDocument);
  const run = (provider: string, fields: Fields, config: Record<string, unknown>): void => {
    const words = (fields.countries ?? '').split(/[\s,]+/).filter(Boolean);
    const countries = words.length === 0 ? null : words.map(word => word.toUpperCase());
    const purposes = PURPOSES.find(({ value }) => value === fields.purposes)?.purposes ?? null;
    const numbers = { priority: Number(fields.priority), weight: Number(fields.weight) };
    const shared = { name: (fields.name ?? '').trim(), ...numbers, countries, purposes, config };
    if (connection) update.mutate({ input: { connectionId: connection.connectionId, ...shared } }, { onSuccess });
    else
      create.mutate({ input: { accountId, provider, channel: fields.channel as Channel, ...shared } }, { onSuccess });
  };
  return { run, error: create.error ?? update.error, isBusy: create.isPending || update.isPending };
}
