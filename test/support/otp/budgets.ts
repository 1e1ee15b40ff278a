/** The budgets of wrong codes as they are kept, for tests that let time pass or look at what was taken. */
import { toUuid } from '../../../src/kernel/ids.ts';
import type { RunSql } from './pins.ts';

/** Whose budget: a recipient's (digits) or that of an address (as the limits count it), of one account; or the account's own. */
export type Budget =
  | { readonly accountId: string; readonly recipient: string }
  | { readonly accountId: string; readonly address: string }
  | { readonly accountId: string; readonly isOfAccount: true };

/** Has these wrong codes been given, each so many seconds ago. */
export async function wrongAgo(sql: RunSql, budget: Budget, secondsAgo: readonly number[]): Promise<void> {
  const stamps =
    'array(select clock_timestamp() - make_interval(secs => s) from unnest($3::float8[]) s order by s desc)';
  if ('isOfAccount' in budget) {
    await sql(
      `insert into otp_accounts as b (account_id, wrongs, admitted) values ($1, ${stamps.replace('$3', '$2')}, 0)
       on conflict (account_id) do update set wrongs = excluded.wrongs`,
      [toUuid(budget.accountId), [...secondsAgo]],
    );
    return;
  }
  const [table, subject] =
    'recipient' in budget ? ['otp_recipients', budget.recipient] : ['otp_addresses', budget.address];
  const [columns, values] =
    'recipient' in budget ? ['recipient, sends, cooldowns', `$2, '{}', '{}'`] : ['address, admitted', '$2, 0'];
  await sql(
    `insert into ${table} as b (account_id, wrongs, updated_at, ${columns}) values ($1, ${stamps}, now(), ${values})
     on conflict (account_id, ${'recipient' in budget ? 'recipient' : 'address'}) do update set wrongs = excluded.wrongs`,
    [toUuid(budget.accountId), subject, [...secondsAgo]],
  );
}

/** Lets so many seconds pass for what is kept of an account: sends, cooldowns and wrong codes get older. */
export async function letPass(sql: RunSql, accountId: string, seconds: number): Promise<void> {
  const older = (stamps: string) => `array(select s - make_interval(secs => $2) from unnest(${stamps}) s order by s)`;
  await sql(
    `update otp_recipients set sends = ${older('sends')}, wrongs = ${older('wrongs')},
       cooldowns = (select coalesce(jsonb_object_agg(key, (value #>> '{}')::timestamptz - make_interval(secs => $2)), '{}')
                    from jsonb_each(cooldowns))
     where account_id = $1`,
    [toUuid(accountId), seconds],
  );
  await sql(`update otp_send_addresses set sends = ${older('sends')} where account_id = $1`, [
    toUuid(accountId),
    seconds,
  ]);
  await sql(`update otp_addresses set wrongs = ${older('wrongs')} where account_id = $1`, [toUuid(accountId), seconds]);
  await sql(
    `update otp_accounts set wrongs = ${older('wrongs')}, alarmed_at = alarmed_at - make_interval(secs => $2) where account_id = $1`,
    [toUuid(accountId), seconds],
  );
}

/** How many wrong codes are kept of an account, by recipient (`+…`), address and for the whole `account`; who has none is left out. */
export async function wrongsKept(sql: RunSql, accountId: string): Promise<Record<string, number>> {
  const rows = await sql<{ subject: string; n: number }>(
    `select '+' || recipient as subject, cardinality(wrongs) as n from otp_recipients where account_id = $1
     union all select address, cardinality(wrongs) from otp_addresses where account_id = $1
     union all select 'account', cardinality(wrongs) from otp_accounts where account_id = $1`,
    [toUuid(accountId)],
  );
  return Object.fromEntries(rows.filter(({ n }) => n > 0).map(({ subject, n }) => [subject, n]));
}
