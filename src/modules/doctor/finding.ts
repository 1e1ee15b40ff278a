/** `ok`, `warning` (odd or risky), or `fault` (broken). */
export const FINDING_STATUSES = ['ok', 'warning', 'fault'] as const;

type FindingStatus = (typeof FINDING_STATUSES)[number];

/** The result of one check, without secrets. */
export interface Finding {
  /** A stable name for scripts, such as `database.version`. */
  readonly name: string;
  readonly status: FindingStatus;
  /** The result, in plain words. */
  readonly message: string;
  /** The remedy, in plain words; null if none is needed. */
  readonly mend: string | null;
}

/** A finding without a fault. */
export const ok = (name: string, message: string): Finding => ({ name, status: 'ok', message, mend: null });

const bad =
  (status: FindingStatus) =>
  (name: string, message: string, mend: string): Finding => ({ name, status, message, mend });

/** A finding that is odd or risky. */
export const warning = bad('warning');

/** A finding that is broken. */
export const fault = bad('fault');

/** A finding with two thresholds: above the first a warning, above the second a fault. */
export function graded(
  name: string,
  { value, warnAbove, faultAbove }: { readonly value: number; readonly warnAbove: number; readonly faultAbove: number },
  message: string,
  mend: string,
): Finding {
  if (value > faultAbove) return fault(name, message, mend);
  return value > warnAbove ? warning(name, message, mend) : ok(name, message);
}

/** All findings of one examination. */
export interface DoctorReport {
  /** The worst status of the findings. */
  readonly status: FindingStatus;
  readonly findings: readonly Finding[];
}

/** The report of these findings. */
export function reportOf(findings: readonly Finding[]): DoctorReport {
  const has = (status: FindingStatus): boolean => findings.some(finding => finding.status === status);
  return { status: has('fault') ? 'fault' : has('warning') ? 'warning' : 'ok', findings };
}
