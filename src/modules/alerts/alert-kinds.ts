/** The one table of alerts: for each kind its reader, the unit of its threshold, its defaults and its sentences. */

import type { AlertKind } from '../answers/alert-kind.ts';
import { HOUR_MS } from '../figures/spans.policy.ts';
import { GUARD_CODES } from '../otp/limits/fraud.policy.ts';
import type { Alert } from './alert.entity.ts';
import { DOWN_CONNECTIONS, FAILING_ENDPOINTS, LOCKED_NUMBERS, LOW_BALANCES } from './readings.sql.ts';
import { type Reader, readBlocked, readConversions, readForecasts } from './readings.ts';

/** The units of thresholds. */
export const ALERT_UNITS = ['credits', 'days', 'percent', 'passcodes'] as const;

/** One of the units. */
export type AlertUnit = (typeof ALERT_UNITS)[number];

/** The facts of an alert that its sentence is made of. */
export type ToldAlert = Pick<Alert, 'kind' | 'isRaised'> & {
  readonly name?: string | null | undefined;
  readonly value?: number | null | undefined;
  readonly threshold?: number | null | undefined;
};

/** A kind of rule. */
interface KindRow {
  /** The description of the kind, for people who choose one. */
  readonly meaning: string;
  /** The unit of the threshold; null: the kind has no threshold. */
  readonly unit: AlertUnit | null;
  readonly range: readonly [min: number, max: number];
  /** The defaults of a new rule. */
  readonly offer: { readonly threshold: number | null; readonly lastingMinutes: number; readonly quietMinutes: number };
  /** The dashboard page that an alert of this time links to. */
  page(at: Date): string;
  readonly read: Reader;
  raised(alert: ToldAlert): string;
  cleared(alert: ToldAlert): string;
}

const CREDITS_MAX = 2_147_483_647;

/** A number without needless digits, rounded down: one below a threshold must not read as the threshold. */
const shown = (value: number | null | undefined): string =>
  (Math.floor((value ?? 0) * 10) / 10).toLocaleString('en', { maximumFractionDigits: 1 });

/** `1 day`, `2.5 days`. */
function counted(value: number | null | undefined, one: string, many = `${one}s`): string {
  return `${shown(value)} ${shown(value) === '1' ? one : many}`;
}

/** The log with each refusal of the fraud guard in the counted hour. Fixed times keep the link right, however late the mail is read. */
function blockedPage(at: Date): string {
  const hour = { from: new Date(at.getTime() - HOUR_MS).toISOString(), to: at.toISOString() };
  return `/dashboard/logs?${new URLSearchParams({ ...hour, type: 'OTP_BLOCKED', errorCode: GUARD_CODES.join(), view: 'attempts' })}`;
}

/** Every kind of rule. */
export const KINDS: Readonly<Record<AlertKind, KindRow>> = {
  endpoint_failing: {
    meaning: 'A webhook endpoint fails, or was disabled for it',
    unit: null,
    range: [0, 0],
    offer: { threshold: null, lastingMinutes: 5, quietMinutes: 60 },
    page: () => '/dashboard/webhooks',
    read: async sql => ({ ill: await FAILING_ENDPOINTS.run(sql) }),
    raised: ({ name, value }) =>
      `The endpoint ${name} fails: ${counted(value, 'failed try', 'failed tries')} in a row.`,
    cleared: ({ name }) => `The endpoint ${name} no longer fails.`,
  },
  connection_down: {
    meaning: 'A connection to a provider is down',
    unit: null,
    range: [0, 0],
    offer: { threshold: null, lastingMinutes: 2, quietMinutes: 60 },
    page: () => '/dashboard/connections',
    read: async sql => ({ ill: await DOWN_CONNECTIONS.run(sql) }),
    raised: ({ name }) => `The connection ${name} is down.`,
    cleared: ({ name }) => `The connection ${name} is no longer down.`,
  },
  number_locked: {
    meaning: 'WhatsApp lets a linked number write to nobody new',
    unit: null,
    range: [0, 0],
    offer: { threshold: null, lastingMinutes: 0, quietMinutes: 60 },
    page: () => '/dashboard/connections',
    read: async sql => ({ ill: await LOCKED_NUMBERS.run(sql) }),
    raised: ({ name }) => `The number of ${name} is locked: WhatsApp lets it write to nobody new.`,
    cleared: ({ name }) => `The number of ${name} is no longer locked.`,
  },
  balance_low: {
    meaning: 'The credits fall below a sum',
    unit: 'credits',
    range: [1, CREDITS_MAX],
    offer: { threshold: 100, lastingMinutes: 0, quietMinutes: 60 },
    page: () => '/dashboard/credits',
    read: async sql => ({ ill: await LOW_BALANCES.run(sql) }),
    raised: ({ value, threshold }) => `The balance is ${counted(value, 'credit')}, below ${shown(threshold)}.`,
    cleared: ({ threshold }) => `The balance is no longer below ${counted(threshold, 'credit')}.`,
  },
  balance_runs_out: {
    meaning: 'The credits last fewer days than that, at the pace of the last 7',
    unit: 'days',
    range: [1, 365],
    offer: { threshold: 7, lastingMinutes: 0, quietMinutes: 1_440 },
    page: () => '/dashboard/credits',
    read: readForecasts,
    raised: ({ value, threshold }) =>
      `At the pace of the last 7 days the credits last ${counted(value, 'day')}, fewer than ${threshold}.`,
    cleared: ({ threshold }) => `The credits last ${counted(threshold, 'day')} or more again.`,
  },
  conversion_low: {
    meaning: 'Of the passcodes of an hour fewer are verified than that; looked at where 20 or more were sent',
    unit: 'percent',
    range: [1, 100],
    offer: { threshold: 50, lastingMinutes: 15, quietMinutes: 240 },
    page: () => '/dashboard',
    read: readConversions,
    raised: ({ value, threshold }) =>
      `Of the passcodes of an hour ${shown(value)} % were verified, fewer than ${threshold} %.`,
    cleared: ({ threshold }) => `Of the passcodes of an hour ${threshold} % or more are verified again.`,
  },
  passcodes_blocked: {
    meaning: 'The fraud guard refuses a burst: so many passcodes within an hour, or more',
    unit: 'passcodes',
    range: [1, 1_000_000],
    offer: { threshold: 5, lastingMinutes: 0, quietMinutes: 60 },
    page: blockedPage,
    read: readBlocked,
    raised: ({ value }) => `The fraud guard refused ${counted(value, 'passcode')} within an hour.`,
    cleared: ({ threshold }) =>
      `The fraud guard refuses fewer than ${counted(threshold, 'passcode')} within an hour again.`,
  },
};

/** The sentence of an alert, for people. */
export function wordsOf(alert: ToldAlert): string {
  const kind = KINDS[alert.kind];
  return alert.isRaised ? kind.raised(alert) : kind.cleared(alert);
}
