/** The filter of the log as SQL: by which index its entries are found, and which of those pass. */
import { lookBounds } from '../../db/statements/look.sql.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { fromUuid, idTime, toUuid } from '../../kernel/ids.ts';
import type { LogStatus } from '../../kernel/status.ts';
import type { LogCriteria, Narrowed, NoMember } from './log-filter.policy.ts';

/** The parameters of a filter. Null does not narrow; an empty text stands for a provider or country that an entry lacks. */
export const FILTER = {
  account: 'uuid',
  from: 'uuid',
  to: 'uuid',
  area: 'text?',
  channel: 'text?',
  status: 'text?',
  statuses: typed<readonly LogStatus[] | null>('text[]'),
  type: 'text?',
  types: typed<readonly string[] | null>('text[]'),
  recipient: 'text?',
  sender: 'text?',
  reference: 'text?',
  entry: 'uuid?',
  pin: 'uuid?',
  errorCode: 'text?',
  errorCodes: typed<readonly string[] | null>('text[]'),
  provider: 'text?',
  connection: 'uuid?',
  country: 'text?',
  messages: typed<readonly string[] | null>('uuid[]'),
} as const;

type Placed = Readonly<Record<keyof typeof FILTER, string>>;

/** The indexes, each with its parameter beside account and time, and the condition that it begins with or is made for. */
const FOUND_BY = {
  message: ['messages', p => `message_id = any(${p.messages})`],
  pin: ['pin', p => `pin_id = ${p.pin}`],
  recipient: ['recipient', p => `recipient = ${p.recipient}`],
  connection: ['connection', p => `connection_id = ${p.connection}`],
  errorCode: ['errorCode', p => `error_code = ${p.errorCode}`],
  stopped: [null, () => `type in ('otp_blocked', 'otp_flagged')`],
  sms: [null, () => `area = 'sms'`],
  otp: [null, () => `area = 'otp'`],
  account: [null, () => 'true'],
} as const satisfies Record<string, readonly [keyof Placed | null, (parameters: Placed) => string]>;

/** The name of an index. */
export type FoundBy = keyof typeof FOUND_BY;

/** One statement for each index. */
export function byIndex<Made>(make: (by: FoundBy) => Made): Readonly<Record<FoundBy, Made>> {
  const names = Object.keys(FOUND_BY) as FoundBy[];
  return Object.fromEntries(names.map(by => [by, make(by)])) as Record<FoundBy, Made>;
}

/** The parameters that `found` names; callers give all of `FILTER`. */
export function parametersOf(by: FoundBy): typeof FILTER {
  const [name] = FOUND_BY[by];
  const { account, from, to } = FILTER;
  return { account, from, to, ...(name && { [name]: FILTER[name] }) } as typeof FILTER;
}

/** A condition: what an index finds. */
export const found = (by: FoundBy, p: Placed): string =>
  `account_id = ${p.account} and id >= ${p.from} and id < ${p.to} and ${FOUND_BY[by][1](p)}`;

/** A condition: an entry passes the filter. @param e the alias of the entry in the statement */
export const passes = (p: Placed, e: string): string => `
    (${p.area} is null or ${e}.area = ${p.area}) and (${p.channel} is null or ${e}.channel = ${p.channel})
    and (${p.status} is null or ${e}.status = ${p.status}) and (${p.statuses} is null or ${e}.status = any(${p.statuses}))
    and (${p.type} is null or ${e}.type = ${p.type}) and (${p.types} is null or ${e}.type = any(${p.types}))
    and (${p.recipient} is null or ${e}.recipient = ${p.recipient}) and (${p.sender} is null or ${e}.sender = ${p.sender})
    and (${p.reference} is null or ${e}.reference = ${p.reference}) and (${p.entry} is null or ${e}.id = ${p.entry})
    and (${p.pin} is null or ${e}.pin_id = ${p.pin})
    and (${p.errorCode} is null or ${e}.error_code = ${p.errorCode})
    and (${p.errorCodes} is null or ${e}.error_code = any(${p.errorCodes}))
    and (${p.provider} is null or coalesce(${e}.provider, '') = ${p.provider})
    and (${p.connection} is null or ${e}.connection_id = ${p.connection})
    and (${p.country} is null or coalesce(${e}.country, '') = ${p.country})
    and (${p.messages} is null or ${e}.message_id = any(${p.messages}))`;

/** The values of `FILTER`. @param below the uuids that are too late, if there are any */
export function filterValues(
  { equals, statuses, types, errorCodes, entry, to }: LogCriteria,
  narrowed: Narrowed,
  ...below: (string | null)[]
) {
  const { accountId, area, channel, status, type, recipient, sender, reference, pinId, errorCode, ...others } = equals;
  // Messages are found by `narrow`.
  const { provider, connectionId, country, messageId: _narrowed, ...unread } = others;
  unread satisfies NoMember;
  return {
    account: toUuid(accountId),
    ...lookBounds(narrowed.from, to, ...below),
    area: area ?? null,
    channel: channel ?? null,
    status: status ?? null,
    statuses,
    type: type ?? null,
    types,
    recipient: recipient ?? null,
    sender: sender ?? null,
    reference: reference ?? null,
    entry,
    pin: pinId == null ? null : toUuid(pinId),
    errorCode: errorCode ?? null,
    errorCodes,
    provider: provider === null ? '' : (provider ?? null),
    connection: connectionId == null ? null : toUuid(connectionId),
    country: country === null ? '' : (country ?? null),
    messages: narrowed.messageIds?.map(toUuid) ?? null,
  };
}

/** When an entry was made, by its uuid. */
export function entryTime(uuid: string): Date {
  return idTime(fromUuid('att', uuid));
}
