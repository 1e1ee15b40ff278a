/** Numbers as Meta shows them. */

/** The digits of a number such as `+1 555-000-0002`. */
export function digitsOf(displayed: string): string {
  return displayed.replaceAll(/[^0-9]/g, '');
}
