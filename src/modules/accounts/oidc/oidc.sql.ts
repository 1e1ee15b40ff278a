/** The statement on people who sign in by a provider. */
import { statement } from '../../../db/statements/statement.ts';

/** Stores a person without a password; no row: the address signs in already, by another way or to another account. */
export const ADD_OIDC_USER = statement('add oidc user', {
  takes: { id: 'uuid', account: 'uuid', email: 'text', role: 'text', name: 'text?', subject: 'text' },
  gives: { id: 'uuid' },
  sql: p => `insert into dashboard_users (id, account_id, email, role, name, oidc_subject, created_at)
    values (${p.id}, ${p.account}, ${p.email}, ${p.role}, ${p.name}, ${p.subject}, clock_timestamp())
    on conflict do nothing returning id`,
});
