/** The statement of the verb *reconcile the ledger*. */
import { idSql } from '../../db/statements/json.sql.ts';
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';

/** The kinds of faults. */
export const LEDGER_FAULTS = ['balance_differs', 'hold_left', 'ends_differ', 'cost_differs'] as const;

/**
 * The kind of a fault. `balance_differs`: the spendable and held credits of an account are not the sum of its ledger. `hold_left`: an account
 * holds other credits than its sends under way. `ends_differ`: an attempt was paid for twice. `cost_differs`: an attempt says another cost
 * than its entries.
 */
export type LedgerFaultKind = (typeof LEDGER_FAULTS)[number];

/** The entries of an attempt as one number, a hexadecimal digit for how many there are of each kind. */
const SHAPE = `sum(case kind when 'hold' then 1 when 'capture' then 16 when 'release' then 256 when 'charge' then 4096 end)`;

/** A capture, or a charge; of before holds were numbers, a hold with its end, and with a charge after a release. */
const SOUND = '(16, 4096, 17, 257, 4353)';

/**
 * One statement, and so one moment: holds and ends are committed with what they are about, so that sends under way are no faults. The ledger is
 * read and grouped once, as a whole; what an attempt has paid is the sum of its entries.
 */
export const FIND_LEDGER_FAULTS = statement('find ledger faults', {
  takes: { limit: 'int' },
  gives: {
    accountId: 'text',
    kind: typed<LedgerFaultKind>('text'),
    /** The attempt whose entries it is about; null: the whole account. */
    attemptId: 'text?',
    /** The stored number, by kind: spendable and held credits, held credits, the number of entries, or the cost of the attempt. */
    found: 'float8',
    /** The number that is right. */
    expected: 'float8',
  },
  sql: p => `
  with paid as materialized (
    select account_id, attempt_id, sum(credits) as credits, count(*) as entries, ${SHAPE} as shape
    from ledger group by account_id, attempt_id
  ), sums as (
    select account_id, sum(credits) as credits from paid group by account_id
  ), holds as (
    select account_id, sum(held) as held from (
      select account_id, held from messages where held > 0 and lease_until is not null
      union all
      select account_id, held from otps where held > 0 and lease_until is not null) s group by account_id
  )
  select ${idSql('acc', 'account_id')} as "accountId", kind, ${idSql('att', 'attempt_id')} as "attemptId", found::float8, expected::float8 from (
    select a.id as account_id, 'balance_differs' as kind, null::uuid as attempt_id, a.credits + a.held as found,
      coalesce(s.credits, 0) as expected
    from accounts a left join sums s on s.account_id = a.id where a.credits + a.held <> coalesce(s.credits, 0)
    union all
    select a.id, 'hold_left', null, a.held, coalesce(h.held, 0)
    from accounts a left join holds h on h.account_id = a.id where a.held <> coalesce(h.held, 0)
    union all
    select account_id, 'ends_differ', attempt_id, entries, 1 from paid where shape not in ${SOUND}
    union all
    select p.account_id, 'cost_differs', p.attempt_id, a.credits, -p.credits
    from paid p join attempts a on a.id = p.attempt_id
    where a.credits <> -p.credits
  ) faults
  order by account_id, kind, attempt_id limit ${p.limit}`,
});
