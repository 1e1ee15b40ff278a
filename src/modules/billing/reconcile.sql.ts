/** The statement of the verb *reconcile the ledger*. */
import { typed } from '../../db/statements/sql-types.ts';
import { statement } from '../../db/statements/statement.ts';

/** What can be wrong. */
export const LEDGER_FAULTS = ['balance_differs', 'hold_left', 'ends_differ', 'cost_differs'] as const;

/**
 * What can be wrong. `balance_differs`: the credits of an account are not the sum of its ledger. `hold_left`: a hold has no end, though
 * its send is over, or began long ago. `ends_differ`: the entries of an attempt are not one hold, at most one end of it and at most one
 * charge after a release. `cost_differs`: an attempt says another cost than its entries.
 */
export type LedgerFaultKind = (typeof LEDGER_FAULTS)[number];

/** The entries of an attempt as one number, a hexadecimal digit for how many there are of each kind. */
const SHAPE = `sum(case kind when 'hold' then 1 when 'capture' then 16 when 'release' then 256 when 'charge' then 4096 end)`;

/** A hold, alone; with its end; and with a charge after a release. */
const [HELD, SOUND] = ['1', '(1, 17, 257, 4353)'];

/**
 * One statement, and so one moment: holds and ends are committed with what they are about, so that sends under way are no faults. The ledger is
 * read and grouped once, as a whole; what an attempt has paid is the sum of its entries once its hold has an end. Sends are looked up one by one,
 * for the few holds that have none.
 */
export const FIND_LEDGER_FAULTS = statement('find ledger faults', {
  takes: { holdMinutesMax: 'int', limit: 'int' },
  gives: {
    account_id: 'uuid',
    kind: typed<LedgerFaultKind>('text'),
    attempt_id: 'uuid?',
    found: 'float8',
    expected: 'float8',
  },
  sql: p => `
  with paid as materialized (
    select account_id, attempt_id, sum(credits) as credits, sum(held) as held, min(created_at) as began_at, count(*) as entries,
      ${SHAPE} as shape
    from ledger group by account_id, attempt_id
  ), sums as (
    select account_id, sum(credits) as credits from paid group by account_id
  )
  select account_id, kind, attempt_id, found::float8, expected::float8 from (
    select a.id as account_id, 'balance_differs' as kind, null::uuid as attempt_id, a.credits as found, coalesce(s.credits, 0) as expected
    from accounts a left join sums s on s.account_id = a.id where a.credits <> coalesce(s.credits, 0)
    union all
    select account_id, 'hold_left', attempt_id, held, 0
    from paid p where shape = ${HELD} and (began_at < now() - make_interval(mins => ${p.holdMinutesMax}) or coalesce(
      (select m.lease_until from attempts a join messages m on m.id = a.message_id where a.id = p.attempt_id),
      (select o.lease_until from attempts a join otps o on o.id = a.pin_id where a.id = p.attempt_id)) is null)
    union all
    select account_id, 'ends_differ', attempt_id, entries, case when shape >= 4096 and (shape / 16) % 16 = 0 then 3 else 2 end
    from paid where shape not in ${SOUND}
    union all
    select p.account_id, 'cost_differs', p.attempt_id, a.credits, -p.credits
    from paid p join attempts a on a.id = p.attempt_id
    where p.shape <> ${HELD} and a.credits <> -p.credits
  ) faults
  order by account_id, kind, attempt_id limit ${p.limit}`,
});
