/** The choices of a text field of the filter, and the names of its values. */
import { useMemo } from 'react';
import { useAnswer } from '../../../api/hooks.ts';
import { FilterChoicesDocument } from '../../../api/operations.generated.ts';
import { useAskedAccount } from '../../../frame/session/whose.ts';
import { plainWord } from '../../../ui/words.ts';
import { type Field, kindOf, listOf } from './filter-state.ts';

/** A value with its name for people. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The choices of a field: connections, providers or countries. The gateway is asked for them only where `isWanted`. */
export function useChoices(isWanted: boolean): (field: Field) => readonly Choice[] {
  const { data } = useAnswer(FilterChoicesDocument, useAskedAccount(), { enabled: isWanted });
  return useMemo(() => {
    const connections = data?.connections.map(({ connectionId, name }) => ({ value: connectionId, label: name })) ?? [];
    const providers = data?.providers.map(({ id, label }) => ({ value: id, label })) ?? [];
    return field => {
      if (field === 'connection') return connections;
      if (field === 'provider') return [...providers, SANDBOX, NONE];
      return field === 'country' ? [...countries(), NONE] : [];
    };
  }, [data]);
}

const SANDBOX: Choice = { value: 'sandbox', label: 'Sandbox' };

const NONE: Choice = { value: 'none', label: 'none' };

const REGION = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Region codes that `Intl` has a name for, though they are no countries. */
const NO_COUNTRY: ReadonlySet<string> = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

let known: readonly Choice[] | undefined;

/** All countries by their names. */
function countries(): readonly Choice[] {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  known ??= letters
    .flatMap(first => letters.map(second => first + second))
    .flatMap(value => {
      const label = NO_COUNTRY.has(value) ? undefined : REGION.of(value);
      return label === undefined ? [] : [{ value, label }];
    })
    .sort((one, other) => one.label.localeCompare(other.label));
  return known;
}

/** A typed text as the gateway takes it: the name of a choice becomes its value. */
export function typedValue(typed: string, choices: readonly Choice[]): string {
  const text = typed.trim().toLowerCase();
  const match = choices.find(({ value, label }) => value.toLowerCase() === text || label.toLowerCase() === text);
  return match?.value ?? typed.trim();
}

/** A value as a chip shows it. */
export function shownValue(field: Field, value: string, choices: readonly Choice[]): string {
  if (kindOf(field).words) return listOf(value).map(plainWord).join(', ');
  const label = choices.find(choice => choice.value === value)?.label;
  if (label === undefined || label === value) return value;
  return field === 'country' ? `${label} (${value})` : label;
}
