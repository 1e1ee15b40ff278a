/** Numbers as Meta shows them. */

/** The digits of a number such as `+1 555-000-0002`; null: there is none. */
export function digitsOf(displayed: string): string | null {
  return displayed.replaceAll(/[^0-9]/g, '') || null;
}
