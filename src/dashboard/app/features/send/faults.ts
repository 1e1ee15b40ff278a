/** Places refusals at their inputs: those of the last send, and those of the preview for an input that was left. */
import { useState } from 'react';
import type { Failure, FieldFault } from '../../ui/failure.ts';
import type { Draft } from './draft.ts';

/** The inputs of the page by the names that the gateway has for them, with their labels. */
const INPUTS: Readonly<Record<string, string>> = {
  to: 'To',
  text: 'Text',
  template: 'Text',
  sender: 'From',
  chatFrom: 'From the number',
  cloudTemplate: 'Template',
  'cloudTemplate.name': 'Template',
  'cloudTemplate.language': 'Language',
  'cloudTemplate.components': 'Components',
  reference: 'Reference',
  length: 'Digits',
  expiresIn: 'Expires after',
};

/** A fault as a sentence that begins with the label of its input. */
export function faultWord({ field, message }: FieldFault): string {
  return `${INPUTS[field] ?? field} ${message}.`;
}

/** The faults of the form, by input. */
export interface Faults {
  /** The fault of an input as a sentence; null: none that should show yet. */
  readonly of: (input: string) => string | null;
  /** An input was left: from now on the preview may complain about it. */
  readonly leave: (input: string) => void;
  /** The refusal that no input can show; null: there is none. */
  readonly rest: Failure | null;
}

/** The props that the parts of the form share. */
export interface FormPart {
  readonly draft: Draft;
  readonly change: (parts: Partial<Draft>) => void;
  readonly faults: Faults;
}

/** Sorts refusals to the inputs. `refused` is of the send, `previewed` of the preview. */
export function useFaults(refused: Failure | null, previewed: Failure | null): Faults {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const find = (failure: Failure | null, input: string): string | undefined =>
    failure?.faults.find(({ field }) => field === input)?.message;
  return {
    of: input => {
      const message = find(refused, input) ?? (left.has(input) ? find(previewed, input) : undefined);
      return message === undefined ? null : `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
    },
    leave: input => setLeft(before => (before.has(input) ? before : new Set(before).add(input))),
    rest: [refused, previewed].find(failure => failure && !failure.faults.some(isShown)) ?? null,
  };
}

function isShown({ field }: { readonly field: string }): boolean {
  return field in INPUTS;
}
