/** The routing of a connection: its purposes, countries, priority and weight. */
import { NumberInput, Select, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { ConnectionFragment } from '../../../api/operations.generated.ts';
import { faultAt } from '../../../ui/dialogs/faults.ts';
import type { Failure } from '../../../ui/failure.ts';
import { PURPOSES, purposeOf } from '../purposes.ts';

/** The inputs; null: a connection that is being made. */
export function Routing({
  connection,
  failure,
}: {
  readonly connection: ConnectionFragment | null;
  readonly failure: Failure | null;
}): ReactNode {
  const [countries, setCountries] = useState(connection?.countries?.join(', ') ?? '');
  return (
    <>
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
        description="Of the recipients, such as US, DE. Empty: all countries"
        value={countries}
        onChange={event => setCountries(event.currentTarget.value)}
        error={faultAt(failure, 'countries', place => countriesIn(countries)[Number(place)] ?? place)}
      />
      <NumberInput
        name="priority"
        label="Priority"
        description="Lowest first"
        defaultValue={connection?.priority ?? 100}
        hideControls
        required
        error={faultAt(failure, 'priority')}
      />
      <NumberInput
        name="weight"
        label="Weight"
        description="Shares recipients among connections of one priority: 2 gets twice as many as 1"
        defaultValue={connection?.weight ?? 1}
        hideControls
        required
        error={faultAt(failure, 'weight')}
      />
    </>
  );
}

/** `us, DE` as the gateway wants it. */
export function countriesIn(text = ''): string[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(word => word.toUpperCase());
}
