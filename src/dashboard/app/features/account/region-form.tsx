/** Sets time zone and country of the account. */
import { Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { type AccountPageQuery, UpdateRegionDocument } from '../../api/operations.generated.ts';
import { faultAt } from '../../ui/dialogs/faults.ts';
import { FormDialog } from '../../ui/dialogs/form-dialog.tsx';
import { countriesByName } from '../../ui/region/phone-book.ts';

const COUNTRIES = countriesByName();

/** Some browsers leave UTC out. */
const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];

/** As many as are looked through: more are found by typing. */
const SHOWN_MAX = 50;

/** The list itself scrolls: a scrolled part between a list and its options would be one more stop of the Tab key. */
const LIST = { withScrollArea: false, styles: { options: { maxHeight: 220, overflowY: 'auto' } } } as const;

/** The dialog. */
export function RegionForm({
  account: { timeZone, country },
  close,
}: {
  readonly account: AccountPageQuery['account'];
  readonly close: () => void;
}): ReactNode {
  const update = useChange(UpdateRegionDocument);
  const [zone, setZone] = useState<string | null>(timeZone);
  const [home, setHome] = useState<string | null>(country);
  return (
    <FormDialog
      title="Region"
      button="Save region"
      failure={update.error}
      fields={['timeZone', 'country']}
      isBusy={update.isPending}
      close={close}
      submit={() => update.mutate({ input: { timeZone: zone, country: home } }, { onSuccess: close })}
    >
      <Select
        label="Time zone"
        description="Everybody can show times in it, in their own zone or in UTC"
        data={ZONES}
        limit={SHOWN_MAX}
        {...LIST}
        searchable
        allowDeselect={false}
        value={zone}
        onChange={setZone}
        error={faultAt(update.error, 'timeZone')}
      />
      <Select
        label="Country"
        description="The search reads numbers without a country code as numbers of it"
        placeholder="Not set"
        data={COUNTRIES}
        limit={SHOWN_MAX}
        {...LIST}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'No country' }}
        value={home}
        onChange={setHome}
        error={faultAt(update.error, 'country')}
      />
    </FormDialog>
  );
}
