/** The verb *reconcile the ledger*: holds balances, ledger and attempts against each other, and finds where they differ. */
import { type Ctx, requireOperator } from '../../context.ts';
import { PATIENCE_MS, patiently } from '../../db/postgres/bounded-client.ts';
import { runSql } from '../../db/statements/sql.ts';
import { fromUuid } from '../../kernel/ids.ts';

/** What can be wrong. */
export const LEDGER_FAULTS = ['balance_differs', 'hold_left', 'ends_differ', 'cost_differs'] as const;

/**
 * What can be wrong. `balance_differs`: the credits of an account are not the sum of its ledger. `hold_left`: a hold has no end, though
 * its send is over, or began long ago. `ends_differ`: the entries of an attempt are not one hold, at most one end of it and at most one
 * charge after a release. `cost_differs`: an attempt says another cost than its entries.
 */
export type LedgerFaultKind = (typeof LEDGER_FAULTS)[number];

/** Something that is wrong. */
export interface LedgerFault {
  readonly accountId: string;
  readonly kind: LedgerFaultKind;
  /** The attempt whose entries it is about; null: the whole account. */
  readonly attemptId: string | null;
  /** What is kept: the credits of the account, what is still held, how many entries there are, or the cost that the attempt says. */
  readonly found: number;
  /** What it should be. */
  readonly expected: number;
}

/** The most faults that are answered: so many say that somebody must look, and the rest is found once these are mended. */
const FAULTS_MAX = 1_000;

/** A hold ends within seconds; a dead process's send is ended by another within 35 s. */
const HOLD_MINUTES_MAX = 10;

interface FaultRow {
  account_id: string;
  kind: LedgerFaultKind;
  attempt_id: string | null;
  found: number;
  expected: number;
}

/** The entries of an attempt as one number, a hexadecimal digit for how many there are of each kind. */
const SHAPE = `sum(case kind when 'hold' then 1 when 'capture' then 16 when 'release' then 256 when 'charge' then 4096 end)`;

/** A hold, alone; with its end; and with a charge after a release. */
const [HELD, SOUND] = ['1', '(1, 17, 257, 4353)'];

/**
 * One statement, and so one moment: holds and ends are committed with what they are about, so that sends under way are no faults. The ledger is
 * read and grouped once, as a whole; what an attempt has paid is the sum of its entries once its hold has an end. Sends are looked up one by one,
 * for the few holds that have none.
 */
const FAULTS = `
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
    from paid p where shape = ${HELD} and (began_at < now() - make_interval(mins => $1::int) or coalesce(
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
  order by account_id, kind, attempt_id limit $2`;

/**
 * Finds what is wrong, at most a thousand faults, and keeps their number as a metric. It changes nothing: what is wrong with money is for people.
 * @throws AppError `unauthenticated`, `wrong_area`.
 */
export async function findLedgerFaults(ctx: Ctx): Promise<LedgerFault[]> {
  requireOperator(ctx);
  const rows = await patiently(PATIENCE_MS.wholeTables, () =>
    ctx.em.transactional(async em => {
      // The statement reads whole tables, which connections are set to avoid, and takes its time.
      const settings = "select set_config('enable_seqscan', 'on', true), set_config('statement_timeout', '0', true)";
      await runSql(em.getKysely(), settings, []);
      return runSql<FaultRow>(em.getKysely(), FAULTS, [HOLD_MINUTES_MAX, FAULTS_MAX]);
    }),
  );
  ctx.services.metrics.ledgerFaults.set(rows.length);
  return rows.map(row => ({
    accountId: fromUuid('acc', row.account_id),
    kind: row.kind,
    attemptId: row.attempt_id === null ? null : fromUuid('att', row.attempt_id),
    found: row.found,
    expected: row.expected,
  }));
}

/** Finds what is wrong, and says each fault in the log. */
export async function reconcileLedger(ctx: Ctx): Promise<void> {
  for (const { accountId, kind, attemptId, found, expected } of await findLedgerFaults(ctx))
    ctx.log.error({ accountId, fault: kind, attemptId, found, expected }, 'the ledger has a fault');
}
