/** What the palette offers. */
import type { IconName } from '../../ui/icons.tsx';

/** Something that can be gone to, or done. */
export interface Target {
  readonly label: string;
  readonly about: string;
  readonly icon: IconName;
  /** A path of these pages, or what is done. */
  readonly go: string | (() => void);
}

/** Whether the words stand in what a target is called, in their order or not. */
export function isCalled({ label }: Target, words: string): boolean {
  const name = label.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every(word => name.includes(word));
}
