/** Reads the notices of an account. Part of the verb *overview*. */
import type { Sql } from '../../db/statements/sql.ts';
import { fromUuid, uuidFloor } from '../../kernel/ids.ts';
import type { GuardCount, NoticeKind, OverviewNotice } from './notices.policy.ts';
import { LIST_NOTICES } from './notices.sql.ts';

/** The most notices that are shown. */
const NOTICES_MAX = 10;

/** The prefix of the id that is the `subject`, by kind; other kinds have none. */
const SUBJECTS: Readonly<Partial<Record<NoticeKind, 'whk' | 'con'>>> = {
  endpoint_disabled: 'whk',
  endpoint_failing: 'whk',
  connection_down: 'con',
  quota_low: 'con',
  number_locked: 'con',
};

/** The notices of an account, newest first. @param timeOf when a bucket of `guarded` begins and ends, in milliseconds since 1970 */
export async function readNotices(
  sql: Sql,
  account: string,
  guarded: readonly GuardCount[],
  timeOf: (bucket: number) => readonly [number, number],
): Promise<OverviewNotice[]> {
  const times = guarded.map(({ kind, type, bucket }) => {
    const [fromMs, toMs] = timeOf(bucket);
    return { kind, type, lo: uuidFloor(new Date(fromMs)), hi: uuidFloor(new Date(toMs)) };
  });
  const rows = await LIST_NOTICES.run(sql, { account, guarded: times, limit: NOTICES_MAX });
  return rows.map(({ kind, at, id, name, reason, count }) => {
    const prefix = SUBJECTS[kind];
    return {
      kind,
      at,
      subject: prefix && id !== null ? fromUuid(prefix, id) : null,
      name,
      reason,
      count: count ?? guarded.find(one => one.kind === kind)?.count ?? null,
    };
  });
}
