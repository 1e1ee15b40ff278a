/** The recipients that no limit of a recipient counts: the sandbox's nine numbers (contract §5, §9). */

/** `+1 202 555 0100` to `0108`, in digits-only form. Nobody has them: they are reserved for fiction. */
export const EXEMPT_RECIPIENTS: readonly string[] = Array.from({ length: 9 }, (_unused, index) => `1202555010${index}`);

const exempt = new Set(EXEMPT_RECIPIENTS);

/** Whether a recipient is exempt from the limits per recipient, the cooldown and the fraud guard. */
export function isExempt(recipient: string): boolean {
  return exempt.has(recipient);
}
