/** What the doctor says of one thing that it looked at. */

/** How a thing stands: as it should; odd or risky; or broken. */
export const FINDING_STATUSES = ['ok', 'warning', 'fault'] as const;

/** One of them. */
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** One thing that was looked at. Nothing of it is a secret, an address or a path. */
export interface Finding {
  /** What it is about, as in `database.version`. Scripts go by it: it is kept. */
  readonly name: string;
  readonly status: FindingStatus;
  /** What was found, in a sentence. */
  readonly message: string;
  /** What mends it, in a sentence; null: there is nothing to mend. */
  readonly mend: string | null;
}

/** It is as it should be. */
export const ok = (name: string, message: string): Finding => ({ name, status: 'ok', message, mend: null });

/** It is odd or risky. */
export const warning = (name: string, message: string, mend: string): Finding => ({
  name,
  status: 'warning',
  message,
  mend,
});

/** It is broken. */
export const fault = (name: string, message: string, mend: string): Finding => ({
  name,
  status: 'fault',
  message,
  mend,
});

/** How something stands that has two bounds: beyond the first it is odd, beyond the second it is broken. */
export function graded(
  name: string,
  { value, warnAbove, faultAbove }: { readonly value: number; readonly warnAbove: number; readonly faultAbove: number },
  message: string,
  mend: string,
): Finding {
  if (value > faultAbove) return fault(name, message, mend);
  return value > warnAbove ? warning(name, message, mend) : ok(name, message);
}
