/** The notices of an account: warnings beside its figures. Pure. */
import type { Answer } from '../../db/statements/statement.ts';
import type { LogType } from '../answers/log.data.ts';
import { GUARD_CODES } from '../otp/limits/fraud.policy.ts';
import type { COUNT_ENTRIES } from './figures.sql.ts';

/** Every kind of notice. */
export const NOTICE_KINDS = [
  'endpoint_disabled',
  'endpoint_failing',
  'connection_down',
  'quota_low',
  'number_locked',
  'balance_low',
  'guard_stopped',
  'guard_flagged',
] as const;

/** One of them. */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** Something that needs a look. */
export interface OverviewNotice {
  readonly kind: NoticeKind;
  readonly at: Date;
  /** The public id of the endpoint or the account's own connection; null: it is about neither. */
  readonly subject: string | null;
  /** The host of the endpoint, with what tells it from others there; the name of the connection; null: it is about neither. */
  readonly name: string | null;
  /** A sentence of the gateway for a connection that is down; a word for an endpoint, a quota or the newest decision of the guard. Null: the kind says
   * it, or the connection is shared. */
  readonly reason: string | null;
  /** How many deliveries wait for the endpoint, or how many decisions of the guard there were in the time; null: it is about neither. */
  readonly count: number | null;
}

/** The decisions of one kind of the fraud guard in a time. */
export interface GuardCount {
  readonly kind: NoticeKind;
  readonly type: LogType;
  readonly count: number;
  /** The last bucket that has one. */
  readonly bucket: number;
}

const DECISIONS = [
  ['guard_stopped', 'otp_blocked'],
  ['guard_flagged', 'otp_flagged'],
] as const satisfies readonly (readonly [NoticeKind, LogType])[];

/** The decisions of the fraud guard among counted entries. An OTP that is blocked for wrong codes is none of them. */
export function guardCounts(counts: readonly Answer<typeof COUNT_ENTRIES>[]): GuardCount[] {
  return DECISIONS.flatMap(([kind, type]) => {
    const decided = counts.filter(count => count.type === type && isOfGuard(count.errorCode));
    if (decided.length === 0) return [];
    const count = decided.reduce((total, { entries }) => total + entries, 0);
    return [{ kind, type, count, bucket: Math.max(...decided.map(({ bucket }) => bucket)) }];
  });
}

function isOfGuard(errorCode: string | null): boolean {
  return GUARD_CODES.some(code => code === errorCode);
}
