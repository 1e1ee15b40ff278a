/** Numbers as Meta shows them. */
import { dialled } from '../dialled.ts';

/** The digits of a number such as `+1 555-000-0002`; null: there is none. */
export function digitsOf(displayed: string): string | null {
  return dialled(displayed.replaceAll(/[^0-9]/g, '')) || null;
}
