/** The filter of the log, in a form for both the database and the live feed. Pure. */
import { given, idBounds } from '../../db/page.ts';
import { parseId, toUuid, uuidAfter } from '../../kernel/ids.ts';
import { parsePhone } from '../../kernel/phone.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { ReadScope } from '../accounts/read-scope.ts';
import type { LogType } from '../answers/log.data.ts';
import type { Attempt } from '../routing/attempt.entity.ts';
import { type LogFilter, NONE } from './log-filter.input.ts';

type Compared =
  | 'accountId'
  | 'area'
  | 'channel'
  | 'status'
  | 'type'
  | 'recipient'
  | 'sender'
  | 'reference'
  | 'messageId'
  | 'pinId'
  | 'errorCode'
  | 'provider'
  | 'connectionId'
  | 'country';

/** The conditions that an entry must meet. */
export interface LogCriteria {
  /** Columns with their required values; null: only entries without one. */
  readonly equals: { readonly accountId: string } & {
    readonly [Column in Compared]?:
      | NonNullable<Attempt[Column]>
      | (Column extends 'provider' | 'country' ? null : never);
  };
  /** The allowed types; null: any. */
  readonly types: readonly LogType[] | null;
  /** The allowed statuses; null: any. */
  readonly statuses: readonly LogStatus[] | null;
  /** The allowed codes of errors; null: any, and none. */
  readonly errorCodes: readonly string[] | null;
  /** The uuid of the one entry that may pass, whose bounds are those below; null: any may. */
  readonly entry: string | null;
  /** The lowest uuid that passes; null: no bound. Ids hold the time. */
  readonly from: string | null;
  /** The lowest uuid that is too late; null: no bound. */
  readonly to: string | null;
}

/** The bounds of a filter that other tables than the log know. */
export interface Narrowed {
  /** The messages that it names; null: it names none. */
  readonly messageIds: readonly string[] | null;
  /** The lowest uuid that passes; null: no bound. */
  readonly from: string | null;
}

/** The conditions of a filter within the caller's scope; null if nothing can pass, because an id is invalid. */
export function readLogFilter(scope: ReadScope, filter: LogFilter): LogCriteria | null {
  const { channel, status, type, recipient, sender, reference, messageId, pinId, errorCode, from, to, ...others } =
    filter;
  const { types, statuses, errorCodes, provider, connectionId, country, attemptId, ...unread } = others;
  unread satisfies NoMember;
  const message = messageId == null ? undefined : parseId('msg', messageId);
  const pin = pinId == null ? undefined : parseId('pin', pinId);
  const connection = connectionId == null ? undefined : parseId('con', connectionId);
  const entry = attemptId == null ? undefined : parseId('att', attemptId);
  // People without a number are recipients by the id of their channel.
  const person = recipient == null ? undefined : (parsePhone(recipient)?.digits ?? recipient.trim());
  if (message === null || pin === null || connection === null || entry === null) return null;
  const uuid = entry === undefined ? null : toUuid(entry);
  const [lowestId, endId] = idBounds(from, to);
  return {
    equals: {
      ...scope,
      ...given({ channel, status, type, reference, errorCode, recipient: person, messageId: message, pinId: pin }),
      ...given({ connectionId: connection, sender: sender == null ? null : storedSender(sender) }),
      ...(provider == null ? {} : { provider: orNone(provider) }),
      ...(country == null ? {} : { country: orNone(country) }),
    },
    types: types ?? null,
    statuses: statuses ?? null,
    errorCodes: errorCodes ?? null,
    entry: uuid,
    from: highest(lowestId, uuid),
    to: lowest(endId, uuid && uuidAfter(uuid)),
  };
}

/** A rest that has no member: a member of the filter that nothing reads does not compile. */
export type NoMember = Record<string, never>;

/** Whether an entry passes; the same entries as in `listLogs`. */
export function matchesFilter(attempt: Attempt, criteria: LogCriteria): boolean {
  const { equals, types, statuses, errorCodes, from, to } = criteria;
  if (types && !types.includes(attempt.type)) return false;
  if (statuses && !statuses.includes(attempt.status)) return false;
  if (errorCodes && !errorCodes.includes(attempt.errorCode ?? '')) return false;
  const uuid = toUuid(attempt.id);
  if ((from !== null && uuid < from) || (to !== null && uuid >= to)) return false;
  const columns: Partial<Record<Compared, unknown>> = attempt;
  return Object.entries(equals).every(([column, value]) => (columns[column as Compared] ?? null) === value);
}

function highest(...bounds: readonly (string | null)[]): string | null {
  return sorted(bounds).at(-1) ?? null;
}

function lowest(...bounds: readonly (string | null)[]): string | null {
  return sorted(bounds)[0] ?? null;
}

/** Uuids sort like their bytes. */
function sorted(bounds: readonly (string | null)[]): string[] {
  return bounds.filter(bound => bound !== null).sort();
}

/** Chat numbers are stored as digits. A text of digits may also be an SMS sender, so it stays unchanged. */
function storedSender(sender: string): string {
  return /^[0-9]+$/.test(sender) ? sender : (parsePhone(sender)?.digits ?? sender);
}

/** A value that entries may lack, as their column has it. */
function orNone(value: string): string | null {
  return value === NONE ? null : value;
}
