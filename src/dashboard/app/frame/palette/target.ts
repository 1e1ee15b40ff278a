/** The targets of the palette. */
import type { IconName } from '../../ui/icons.tsx';

/** Something that can be gone to, or done. */
export interface Target {
  readonly label: string;
  readonly about: string;
  readonly icon: IconName;
  /** The path of a page, or the function to call. */
  readonly go: string | (() => void);
}

/** Whether the label of a target has all the words, in any order. */
export function isCalled({ label }: Target, words: string): boolean {
  const name = label.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => name.includes(word));
}
