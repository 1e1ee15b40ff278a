/** The statements on people and invitations. */
import { statement } from '../../../db/statements/statement.ts';

/** How long an invitation holds. */
const VALID = `interval '7 days'`;

/** Stores an invitation that begins now. Those of before to the same address are over. */
export const ADD_INVITATION = statement('add invitation', {
  takes: { id: 'uuid', account: 'uuid', email: 'text', role: 'text', hash: 'text', inviter: 'text?' },
  sql: p => `with former as (
      delete from dashboard_invitations where account_id = ${p.account} and email = ${p.email} and accepted_at is null
    )
    insert into dashboard_invitations (id, account_id, email, role, hash, invited_by, created_at, expires_at)
    select ${p.id}, ${p.account}, ${p.email}, ${p.role}, ${p.hash}, ${p.inviter}, at, at + ${VALID}
    from (select clock_timestamp() as at) clock`,
});

/** Uses an invitation up; no row: it is over, was used or was taken back. */
export const USE_INVITATION = statement('use invitation', {
  takes: { hash: 'text' },
  gives: { account_id: 'uuid', email: 'text', role: 'text' },
  sql: p => `update dashboard_invitations set accepted_at = clock_timestamp()
    where hash = ${p.hash} and accepted_at is null and expires_at > clock_timestamp()
    returning account_id, email, role`,
});

/** Stores a person; no row: the address signs in to an account already. */
export const ADD_USER = statement('add user', {
  takes: { id: 'uuid', account: 'uuid', email: 'text', role: 'text', name: 'text?', passwordHash: 'text' },
  gives: { id: 'uuid' },
  sql: p => `insert into dashboard_users (id, account_id, email, role, name, password_hash, created_at)
    values (${p.id}, ${p.account}, ${p.email}, ${p.role}, ${p.name}, ${p.passwordHash}, clock_timestamp())
    on conflict (email) do nothing returning id`,
});
