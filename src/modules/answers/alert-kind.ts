/** The kinds of alert rules, by name. What each of them is, `modules/alerts/alert-kinds.ts` says. */

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

/** What a rule is about. */
export type AlertKind = (typeof ALERT_KINDS)[number];
