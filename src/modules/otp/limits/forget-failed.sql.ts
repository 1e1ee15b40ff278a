/** The statements that forget an OTP which no provider took. Two, so that none holds a row of the one table while it waits for the other. */
import { statement } from '../../../db/statements/statement.ts';

/** Ends the cooldown of a recipient, where no code is live. */
export const END_COOLDOWN = statement('end cooldown', {
  takes: { account: 'uuid', recipient: 'text', area: 'text' },
  sql: p => `
  update otp_recipients r set cooldowns = r.cooldowns - ${p.area}
  where r.account_id = ${p.account} and r.recipient = ${p.recipient} and not exists (select from otps o
    where o.account_id = r.account_id and o.recipient = r.recipient and o.area = ${p.area} and o.status in ('pending', 'sent'))`,
});

/** Takes an OTP out of the counts of its places. In their order, so that no processes deadlock. */
export const UNCOUNT = statement('uncount otp', {
  takes: { account: 'uuid', places: 'text[]', createdAt: 'timestamptz' },
  sql: p => `
  with counted as materialized (
    select account_id, place, hour from otp_traffic
    where account_id = ${p.account} and place = any(${p.places}) and hour = date_trunc('hour', ${p.createdAt})
    order by place for update
  )
  update otp_traffic t set sent = t.sent - 1 from counted c
  where t.account_id = c.account_id and t.place = c.place and t.hour = c.hour`,
});
