/** Lets a provider make a template for passcodes. */
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { CreateOtpTemplateDocument, type TemplateConnectionsQuery } from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

/** The dialog. A refusal of the provider shows in it. */
export function OtpTemplateForm({
  connections,
  close,
}: {
  readonly connections: TemplateConnectionsQuery['templateConnections'];
  readonly close: () => void;
}): ReactNode {
  const create = useChange(CreateOtpTemplateDocument);
  const [connectionId, setConnection] = useState(connections[0]?.connectionId ?? '');
  const [minutes, setMinutes] = useState<string | number>(5);
  const [isAdvised, setAdvised] = useState(true);
  const made = create.data?.createOtpTemplate;
  return (
    <FormDialog
      title="Create passcode template"
      button="Create template"
      failure={create.error}
      fields={['name', 'language', 'codeExpirationMinutes']}
      isBusy={create.isPending}
      close={close}
      submit={({ name = '', language = '' }) => {
        const codeExpirationMinutes = minutes === '' ? null : Number(minutes);
        const text = { codeExpirationMinutes, addSecurityRecommendation: isAdvised };
        const input = { connectionId, name: name.trim(), language: language.trim(), ...text };
        const onSuccess = (answer: NonNullable<typeof create.data>): void => {
          if (answer.createOtpTemplate.result === 'WORKS') close();
        };
        create.mutate({ input }, { onSuccess });
      }}
    >
      {connections.length > 1 && (
        <Select
          label="Connection"
          data={connections.map(({ connectionId: value, name: label }) => ({ value, label }))}
          value={connectionId}
          allowDeselect={false}
          onChange={value => setConnection(value ?? '')}
        />
      )}
      <TextInput
        name="name"
        label="Name"
        description="Lower-case letters, digits and _"
        placeholder="sign_in"
        required
        autoComplete="off"
        error={faultAt(create.error, 'name')}
        data-autofocus
      />
      <TextInput
        name="language"
        label="Language"
        placeholder="en_US"
        defaultValue="en_US"
        required
        autoComplete="off"
        error={faultAt(create.error, 'language')}
      />
      <NumberInput
        label="Says that a code is valid for"
        description="Empty: it does not say"
        suffix=" minutes"
        min={1}
        max={90}
        allowDecimal={false}
        allowNegative={false}
        value={minutes}
        onChange={setMinutes}
        error={faultAt(create.error, 'codeExpirationMinutes')}
      />
      <Switch
        label="Advises not to share the code"
        checked={isAdvised}
        onChange={event => setAdvised(event.currentTarget.checked)}
      />
      <p className="quiet" style={{ margin: 0 }}>
        Meta writes the text, and looks at the template before it can be used.
      </p>
      {made && made.result !== 'WORKS' && (
        <p role="alert" style={{ margin: 0 }}>
          {made.message}
        </p>
      )}
    </FormDialog>
  );
}
