/** The kinds of alert rules, by name; `modules/alerts/alert-kinds.ts` describes them. */

/** Every kind. */
export const ALERT_KINDS = [
  'endpoint_failing',
  'connection_down',
  'number_locked',
  'balance_low',
  'balance_runs_out',
  'conversion_low',
  'passcodes_blocked',
] as const;

/** One of the kinds. */
export type AlertKind = (typeof ALERT_KINDS)[number];
