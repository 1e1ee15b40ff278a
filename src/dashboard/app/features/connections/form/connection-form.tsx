/** Creates or edits a connection. The inputs of its config come from the provider. */
import { Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { channelWord } from '../../../api/channels.ts';
import { useAnswer, useChange } from '../../../api/hooks.ts';
import {
  type Channel,
  type ConnectionFragment,
  CreateConnectionDocument,
  ProvidersDocument,
  type ProvidersQuery,
  UpdateConnectionDocument,
} from '../../../api/operations.generated.ts';
import { useAccountId } from '../../../frame/session/whose.ts';
import { faultAt } from '../../../ui/dialogs/faults.ts';
import { type Fields, FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { FailureNote, Loading } from '../../../ui/feedback.tsx';
import { PURPOSES } from '../purposes.ts';
import { type ConfigForm, ConfigInputs } from './config-inputs.tsx';
import { type ConfigInput, configOf, GROUPS, inputsOf, type Texts, textsOf } from './config-schema.ts';
import { FormGroup } from './form-group.tsx';
import { ProbeConfig, useProbe } from './probe-config.tsx';
import { countriesIn, Routing } from './routing.tsx';

const FIELDS = ['name', 'provider', 'channel', 'purposes', 'countries', 'priority', 'weight'];

/** The dialog; null: it creates one. */
export function ConnectionForm({
  connection,
  close,
}: {
  readonly connection: ConnectionFragment | null;
  readonly close: () => void;
}): ReactNode {
  const { data, error: unread } = useAnswer(ProvidersDocument, {});
  const [chosen, setProvider] = useState(connection?.provider ?? null);
  const save = useSaving(connection, close);
  const provider = data?.providers.find(({ id }) => id === chosen) ?? (connection ? undefined : data?.providers[0]);
  const inputs = provider ? inputsOf(provider.configSchema) : [];
  const [config, reset] = useConfig(inputs, connection);
  const probe = useProbe(provider?.id ?? '', connection?.connectionId ?? null);
  const failure = save.error ?? probe.error;
  const form: ConfigForm = {
    texts: config.texts,
    change: (path, text) => {
      probe.reset();
      config.change(path, text);
    },
    faultOf: ({ path, inputs: inner }) => {
      const fault = failure?.faults.find(({ field }) => field === `config.${path}`)?.message;
      // A section shows its own fault alone: the inputs in it show theirs.
      return config.broken[path] ?? (inner.length > 0 ? fault : faultAt(failure, `config.${path}`));
    },
  };
  const tuning = inputs.filter(({ group }) => group === 'tuning');
  return (
    <FormDialog
      title={connection ? `Edit ${connection.name}` : 'Create connection'}
      button={connection ? 'Save changes' : 'Create connection'}
      failure={failure}
      fields={[...FIELDS, ...inputs.map(({ path }) => `config.${path}`)]}
      isBusy={save.isBusy}
      isReady={provider !== undefined}
      close={close}
      submit={fields => config.read(read => provider && save.run(provider.id, fields, read))}
    >
      {unread && <FailureNote failure={unread} />}
      {!data && !unread && <Loading />}
      {provider && (
        <>
          <TextInput
            name="name"
            label="Name"
            withAsterisk
            defaultValue={connection?.name ?? ''}
            error={faultAt(failure, 'name')}
            // The dialog is open before the providers are known.
            autoFocus
          />
          {!connection && data && (
            <What
              providers={data.providers}
              provider={provider}
              choose={id => {
                probe.reset();
                setProvider(id);
                reset();
              }}
              failure={failure}
            />
          )}
          {GROUPS.map(({ group, label }) => {
            const own = inputs.filter(input => input.group === group);
            return (
              own.length > 0 && (
                <FormGroup key={group} label={label}>
                  <ConfigInputs inputs={own} form={form} />
                </FormGroup>
              )
            );
          })}
          <FormGroup label="Routing">
            <Routing connection={connection} failure={failure} />
          </FormGroup>
          {tuning.length > 0 && (
            <FormGroup label="Fine tuning" isFolded hasFault={tuning.some(input => form.faultOf(input) !== undefined)}>
              <ConfigInputs inputs={tuning} form={form} />
            </FormGroup>
          )}
          <ProbeConfig probe={probe} run={() => config.read(probe.run)} />
        </>
      )}
    </FormDialog>
  );
}

type Provider = ProvidersQuery['providers'][number];
type Failure = ReturnType<typeof useSaving>['error'];

/** The provider and the channel: a connection keeps both. */
function What({
  providers,
  provider,
  choose,
  failure,
}: {
  readonly providers: readonly Provider[];
  readonly provider: Provider;
  readonly choose: (id: string) => void;
  readonly failure: Failure;
}): ReactNode {
  return (
    <>
      <Select
        label="Provider"
        data={providers.map(({ id, label }) => ({ value: id, label }))}
        value={provider.id}
        description={
          <>
            Filters and the command line call it <code>{provider.id}</code>
          </>
        }
        allowDeselect={false}
        error={faultAt(failure, 'provider')}
        onChange={id => id && choose(id)}
      />
      <Select
        key={provider.id}
        name="channel"
        label="Channel"
        data={provider.channels.map(value => ({ value, label: channelWord(value) }))}
        defaultValue={provider.channels[0] ?? null}
        allowDeselect={false}
        error={faultAt(failure, 'channel')}
      />
    </>
  );
}

/** The state of the inputs of the config, and a function that forgets all edits. */
function useConfig(inputs: readonly ConfigInput[], connection: ConnectionFragment | null) {
  const [edits, setEdits] = useState<Texts>({});
  const [broken, setBroken] = useState<Texts>({});
  const texts: Texts = { ...textsOf(inputs, connection?.config), ...edits };
  const read = (go: (config: Record<string, unknown>) => unknown): void => {
    const made = configOf(inputs, texts);
    setBroken(made.broken);
    if (Object.keys(made.broken).length === 0) go(made.config);
  };
  const change = (path: string, text: string): void => setEdits(before => ({ ...before, [path]: text }));
  const reset = (): void => {
    setEdits({});
    setBroken({});
  };
  return [{ texts, broken, change, read }, reset] as const;
}

function useSaving(connection: ConnectionFragment | null, onSuccess: () => void) {
  const accountId = useAccountId();
  const create = useChange(CreateConnectionDocument);
  const update = useChange(UpdateConnectionDocument);
  const run = (provider: string, fields: Fields, config: Record<string, unknown>): void => {
    const words = countriesIn(fields.countries);
    const countries = words.length === 0 ? null : words;
    const purposes = PURPOSES.find(({ value }) => value === fields.purposes)?.purposes ?? null;
    const numbers = { priority: Number(fields.priority), weight: Number(fields.weight) };
    const shared = { name: (fields.name ?? '').trim(), ...numbers, countries, purposes, config };
    if (connection) update.mutate({ input: { connectionId: connection.connectionId, ...shared } }, { onSuccess });
    else
      create.mutate({ input: { accountId, provider, channel: fields.channel as Channel, ...shared } }, { onSuccess });
  };
  return { run, error: create.error ?? update.error, isBusy: create.isPending || update.isPending };
}
