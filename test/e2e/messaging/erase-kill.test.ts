import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newSecretKey } from '../../../src/kernel/crypto/secrets.ts';
import { type Customer, createTestApp, OPERATOR_TOKEN, type TestApp } from '../../support/app.ts';
import { describePostgres } from '../../support/databases/database.ts';
import { type Gateway, startGateway } from '../../support/processes/gateway.ts';
import { putEverywhere, type Somebody } from '../../support/recipients/everywhere.ts';
import { findWords } from '../../support/recipients/scan.ts';

const ERASE = `mutation ($to: String!, $accountId: String) { eraseRecipient(to: $to, accountId: $accountId) { rows } }`;
const EXPORT = `query ($to: String!) { exportRecipient(to: $to) { records { table row } } }`;

describePostgres('an erasure whose process dies', () => {
  const env = { SECRET_KEY: newSecretKey(), OPERATOR_TOKEN };
  const word = `w${randomBytes(8).toString('hex')}`;
  const somebody: Somebody = { number: '12025550142', userId: '9400000000042', word };
  let on: TestApp;
  let customer: Customer;
  let gateway: Gateway | undefined;

  beforeEach(async () => {
    on = await createTestApp({ env });
    customer = await on.customer();
    await putEverywhere({ on, customer }, somebody, OPERATOR_TOKEN);
    if (on.testDatabase.kind === 'postgres')
      gateway = await startGateway({ databaseUrl: on.testDatabase.url, env: { ...env, ROLE: 'api' } });
  });
  afterEach(async () => {
    gateway?.kill('SIGKILL');
    await gateway?.exited;
    await on.close();
  });

  const exported = async () => {
    const { data } = await on.graphql(EXPORT, {
      token: customer.tokens.management,
      variables: { to: somebody.number },
    });
    return data;
  };

  test('has changed nothing, and is done whole when it is asked for again', async () => {
    if (on.testDatabase.kind !== 'postgres' || !gateway) return;
    const before = await exported();
    const holder = new pg.Client({ connectionString: on.testDatabase.url });
    await holder.connect();
    // The last table of an erasure: all others are blanked by then, and nothing is committed.
    await holder.query('begin; lock table audit_entries in share mode');
    const variables = { to: somebody.number, accountId: customer.accountId };
    const asked = fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: ERASE, variables }),
    }).catch(() => null);
    const waiting = () =>
      on.sql(`select pid from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'update audit_entries'`);
    await expect.poll(waiting).toHaveLength(1);
    gateway.kill('SIGKILL');
    await gateway.exited;
    await asked;
    await holder.query('rollback');
    await holder.end();
    const left = () =>
      on.sql(`select pid from pg_stat_activity where query ~ 'update audit_entries' and pid <> pg_backend_pid()`);
    await expect.poll(left).toEqual([]);
    expect(await exported()).toEqual(before);
    const { errors } = await on.graphql(ERASE, { token: OPERATOR_TOKEN, variables });
    expect(errors).toBeNull();
    expect(await findWords(on, [somebody.number, somebody.userId, somebody.word])).toEqual([]);
  });
});
