/** The statements of the limit of sends by address. */
import { records } from '../../../db/statements/records.ts';
import { statement } from '../../../db/statements/statement.ts';

/** The window of the limit, in seconds. */
export const ADDRESS_WINDOW_SECONDS = 3_600;

const WINDOW = `interval '${ADDRESS_WINDOW_SECONDS} seconds'`;

/**
 * Takes as many places for each address as are asked for and left, and locks its row until the transaction ends. In the order of the
 * addresses, so that no processes deadlock. The clock is read after the lock, so waiting does not count.
 */
export const TAKE_SENDS = statement('take sends of addresses', {
  takes: {
    /** Each address of an account once. */
    asked: records('account_id uuid, address text, asked int, per_hour int'),
  },
  gives: {
    account_id: 'uuid',
    address: 'text',
    admitted: 'int',
    /** Seconds until one more fits than now; null: one fits. */
    wait: 'float8?',
  },
  sql: p => `
  with asked as materialized (
    select * from ${p.asked('a')}
  ), taken as (
    insert into otp_send_addresses as b (account_id, address, sends, admitted, updated_at)
    select account_id, address, array_fill(clock_timestamp(), array[least(asked, per_hour)]), least(asked, per_hour), clock_timestamp()
    from asked order by account_id, address
    on conflict (account_id, address) do update set (sends, admitted, updated_at) = (
      select kept || array_fill(at, array[fitting]), fitting, at
      from (
        select at, kept, least(a.asked, greatest(a.per_hour - cardinality(kept), 0)) as fitting
        from (
          select at, array(select s from unnest(b.sends) s where s > at - ${WINDOW}) as kept
          from (select clock_timestamp() as at) clock
        ) k join asked a on a.account_id = b.account_id and a.address = b.address
      ) f
    )
    returning account_id, address, sends, admitted
  )
  select t.account_id, t.address, t.admitted,
    extract(epoch from (select s from unnest(t.sends) s order by s desc offset a.per_hour - 1 limit 1)
      + ${WINDOW} - clock_timestamp())::float8 as wait
  from taken t join asked a using (account_id, address)`,
});

/** Gives places back that the same transaction has taken: the youngest ones. */
export const GIVE_BACK_SENDS = statement('give back sends of addresses', {
  takes: { left: records('account_id uuid, address text, places int') },
  sql: p => `
  update otp_send_addresses b set sends = b.sends[:cardinality(b.sends) - l.places]
  from ${p.left('l')} where b.account_id = l.account_id and b.address = l.address`,
});
