/** Changes the limits of passcodes and the fraud guard. */
import { NumberInput, Select, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type FraudMode, type LimitsQuery, UpdateOtpSettingsDocument } from '../../api/operations.generated.ts';
import { useAccountId } from '../../frame/session/whose.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';

const NUMBERS = [
  ['cooldownSeconds', 'Seconds between passcodes to a phone'],
  ['sendsPerHour', 'Passcodes to a phone in an hour'],
  ['sendsPerDay', 'Passcodes to a phone in a day'],
  ['sendsPerAddress', 'Passcodes for an address in an hour'],
  ['wrongCodesPerDay', 'Wrong codes of a phone in a day'],
  ['wrongCodesPerAddress', 'Wrong codes of an address in 5 minutes'],
  ['wrongCodesPerAccount', 'Wrong codes of the account in a minute'],
] as const;

const MAY_BE_NONE: ReadonlySet<string> = new Set(['sendsPerAddress', 'wrongCodesPerAccount']);

const FIELDS = ['fraudMode', 'countries', ...NUMBERS.map(([name]) => name)];

/** The dialog. */
export function LimitsForm({
  settings,
  close,
}: {
  readonly settings: LimitsQuery['otpSettings'];
  readonly close: () => void;
}): ReactNode {
  const accountId = useAccountId();
  const update = useChange(UpdateOtpSettingsDocument);
  const asked = update.variables?.input.countries;
  return (
    <FormDialog
      title="Change limits"
      button="Save limits"
      failure={update.error}
      fields={FIELDS}
      isBusy={update.isPending}
      close={close}
      submit={fields => {
        const words = (fields.countries ?? '').split(/[\s,]+/).filter(Boolean);
        const countries = words.length === 0 ? null : words.map(word => word.toUpperCase());
        const numbers = Object.fromEntries(NUMBERS.map(([name]) => [name, fields[name] ? Number(fields[name]) : null]));
        const fraudMode = fields.fraudMode as FraudMode;
        update.mutate({ input: { accountId, fraudMode, countries, ...numbers } }, { onSuccess: close });
      }}
    >
      <Select
        name="fraudMode"
        label="Fraud guard"
        data={[
          { value: 'OFF', label: 'Off' },
          { value: 'OBSERVE', label: 'Observe' },
          { value: 'BLOCK', label: 'Block' },
        ]}
        defaultValue={settings.fraudMode}
        allowDeselect={false}
        error={faultAt(update.error, 'fraudMode')}
        data-autofocus
      />
      <TextInput
        name="countries"
        label="Countries"
        description="Like US, DE; * is every country; empty: not chosen. To block, the guard needs a choice"
        defaultValue={settings.countries?.join(', ') ?? ''}
        error={faultAt(update.error, 'countries', place => asked?.[Number(place)] ?? place)}
      />
      {NUMBERS.map(([name, label]) => (
        <NumberInput
          key={name}
          name={name}
          label={label}
          defaultValue={settings[name] ?? ''}
          {...(MAY_BE_NONE.has(name) ? { description: 'Empty: no limit' } : { required: true })}
          hideControls
          allowDecimal={false}
          error={faultAt(update.error, name)}
        />
      ))}
    </FormDialog>
  );
}
