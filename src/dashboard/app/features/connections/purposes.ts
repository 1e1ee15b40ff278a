/** The purposes of a connection. */
import type { Purpose } from '../../api/operations.generated.ts';

/** A choice of the form. */
interface Choice {
  readonly value: string;
  readonly label: string;
  readonly purposes: Purpose[] | null;
}

/** The choice of all purposes. */
const ALL: Choice = { value: 'ALL', label: 'Messages and passcodes', purposes: null };

/** The choices of the form, all purposes first. */
export const PURPOSES: readonly Choice[] = [
  ALL,
  { value: 'MESSAGE', label: 'Messages only', purposes: ['MESSAGE'] },
  { value: 'OTP', label: 'Passcodes only', purposes: ['OTP'] },
];

/** The choice that a connection stands at; null: all. */
export function purposeOf(purposes: readonly Purpose[] | null): Choice {
  const [only, other] = purposes ?? [];
  return PURPOSES.find(({ value }) => value === only && other === undefined) ?? ALL;
}
