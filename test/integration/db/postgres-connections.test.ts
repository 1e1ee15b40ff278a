import { once } from 'node:events';
import { createServer } from 'node:net';
import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/db/migrate.ts';
import { openDatabase } from '../../../src/db/orm.ts';
import { postgresConnections } from '../../../src/db/postgres/postgres.ts';
import { runSql as runOn } from '../../../src/db/statements/sql.ts';
import { openJobs } from '../../../src/queue/kit.ts';
import { startCluster } from '../../support/databases/cluster.ts';
import { runSql } from '../../support/databases/postgres.ts';
import { startTlsCluster } from '../../support/databases/tls-cluster.ts';

const tls = await startTlsCluster();
afterAll(() => tls?.stop());

/** The kind of a connection by this URL: `tls` or `plain`. */
async function connectBy(url: string): Promise<string> {
  const client = new Client(postgresConnections({ url }, 'test').config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0]?.ssl ? 'tls' : 'plain';
  } finally {
    await client.end();
  }
}

describe.skipIf(tls === null)('a connection to PostgreSQL', () => {
  if (tls === null) return;
  const { ca, otherCa, client, port } = tls;
  const byAddress = `127.0.0.1:${port}`;

  test.each([
    ['disable', 'plain_only', {}, 'plain'],
    ['disable', 'postgres', {}, 'plain'],
    ['allow', 'postgres', {}, 'plain'],
    ['allow', 'tls_only', {}, 'tls'],
    ['prefer', 'postgres', {}, 'tls'],
    ['prefer', 'plain_only', {}, 'plain'],
    ['prefer', 'postgres', { sslrootcert: otherCa }, 'plain'],
    ['require', 'tls_only', {}, 'tls'],
    ['require', 'tls_only', { sslrootcert: ca }, 'tls'],
    ['verify-ca', 'tls_only', { sslrootcert: ca }, 'tls'],
  ])('with sslmode=%s as %s, %j, is %s', async (sslmode, role, more, expected) => {
    const url = tls.url('postgres', { sslmode, ...more }, { role, hosts: byAddress });
    expect(await connectBy(url)).toBe(expected);
  });

  test('without sslmode prefers TLS', async () => {
    expect(await connectBy(tls.url('postgres', {}))).toBe('tls');
  });

  test.each([
    ['disable', 'tls_only', {}, /no pg_hba.conf entry.*no encryption/],
    ['require', 'plain_only', {}, /no pg_hba.conf entry.*SSL/],
    ['require', 'tls_only', { sslrootcert: otherCa }, /^the certificate of 127.0.0.1:\d+ is not trusted: /],
    ['verify-ca', 'tls_only', { sslrootcert: otherCa }, /^the certificate of 127.0.0.1:\d+ is not trusted: /],
    ['verify-full', 'tls_only', { sslrootcert: ca }, /^the certificate of 127.0.0.1:\d+ is not trusted: .*altnames/],
  ])('with sslmode=%s as %s, %j, is refused', async (sslmode, role, more, expected) => {
    const url = tls.url('postgres', { sslmode, ...more }, { role, hosts: byAddress });
    await expect(connectBy(url)).rejects.toThrow(expected);
  });

  test('with sslmode=verify-full takes the name that the certificate has', async () => {
    expect(await connectBy(tls.url('postgres', { sslmode: 'verify-full', sslrootcert: ca }))).toBe('tls');
  });

  test('shows a certificate of its own', async () => {
    const parameters = { sslmode: 'verify-full', sslrootcert: ca };
    const url = (more: object): string => tls.url('postgres', { ...parameters, ...more }, { role: 'certified' });
    expect(await connectBy(url({ sslcert: client.certificate, sslkey: client.key }))).toBe('tls');
    await expect(connectBy(url({}))).rejects.toThrow(/valid client certificate/);
  });

  test('binds the password to TLS where it is asked for', async () => {
    const parameters = { sslmode: 'require', channel_binding: 'require' };
    expect(await connectBy(tls.url('postgres', parameters))).toBe('tls');
    await expect(connectBy(tls.url('postgres', parameters, { role: 'postgres' }))).rejects.toThrow(/channel binding/);
  });

  test('goes to the next server where one is dead, and ends with what each of them said', async () => {
    const hosts = `127.0.0.1:9,localhost:${port}`;
    expect(await connectBy(tls.url('postgres', { sslmode: 'require' }, { hosts }))).toBe('tls');
    const none = tls.url('postgres', {}, { hosts: '127.0.0.1:9,127.0.0.1:10' });
    await expect(connectBy(none)).rejects.toThrow(/ECONNREFUSED 127.0.0.1:9; .*ECONNREFUSED 127.0.0.1:10/);
  });

  test('stays with a server that refuses the password', async () => {
    const url = tls.url('postgres', { password: 'wrong' }, { hosts: `localhost:${port},127.0.0.1:9` });
    await expect(connectBy(url)).rejects.toThrow(/password authentication failed/);
  });

  test('goes to the server that takes writes', async () => {
    const standby = await startCluster({ own: true, prepare: async () => ['default_transaction_read_only=on'] });
    if (standby === null) throw new Error('no second PostgreSQL');
    const standbyPort = Number(new URL(standby.url).port);
    try {
      const hosts = `127.0.0.1:${standbyPort},localhost:${port}`;
      const portOf = async (target_session_attrs: string): Promise<unknown> => {
        const url = tls.url('postgres', { target_session_attrs }, { hosts, role: 'postgres' });
        const one = new Client(postgresConnections({ url }, 'test').config);
        await one.connect();
        const { rows } = await one.query("select current_setting('port')::int as port");
        await one.end();
        return rows[0].port;
      };
      expect(await Promise.all(['any', 'read-only', 'read-write'].map(portOf))).toEqual([
        standbyPort,
        standbyPort,
        port,
      ]);
      const url = tls.url('postgres', { target_session_attrs: 'standby' }, { hosts, role: 'postgres' });
      await expect(connectBy(url)).rejects.toThrow(/is not standby; .* is not standby/);
    } finally {
      await standby.stop();
    }
  });

  test('gives up on a server that says nothing, and tries it last for a while', async () => {
    const silent = await openSilent();
    const url = tls.url('postgres', {}, { hosts: `127.0.0.1:${silent.port},localhost:${port}` });
    const { config } = postgresConnections({ url, connectTimeoutMs: 3_000 }, 'test');
    for (const count of [1, 1]) {
      const one = new Client(config);
      await one.connect();
      await one.end();
      expect(silent.connections()).toBe(count);
    }
    const alone = tls.url('postgres', { connect_timeout: '1' }, { hosts: `127.0.0.1:${silent.port}` });
    await expect(connectBy(alone)).rejects.toThrow(/^127.0.0.1:\d+ did not answer within 1000 ms$/);
    await silent.close();
  });

  test('obeys options and application_name, and bounds statements where they do not', async () => {
    const shown = async (parameters: Record<string, string>): Promise<unknown> => {
      const database = await openDatabase({ url: tls.url('postgres', parameters), statementTimeoutMs: 30_000 }, []);
      const rows = await runOn(
        database.sql(),
        `select current_setting('application_name') as name, current_setting('statement_timeout') as timeout`,
        [],
      );
      await database.close();
      return rows[0];
    };
    expect(await shown({})).toEqual({ name: 'heliograph', timeout: '30s' });
    expect(await shown({ application_name: 'ours', options: '-c statement_timeout=7s' })).toEqual({
      name: 'ours',
      timeout: '7s',
    });
  });

  test('bounds statements, but no migration, which may have to wait', async () => {
    await runSql(tls.cluster.url, 'create database bounded owner tls_only');
    const url = tls.url('bounded', {});
    const database = await openDatabase({ url, statementTimeoutMs: 1_000 }, []);
    await expect(runOn(database.sql(), 'select pg_sleep(30)', [])).rejects.toThrow(/statement timeout/);
    const holder = runSql(
      url.replace('?', '?sslmode=no-verify'),
      'begin; create table accounts (); select pg_sleep(3); rollback',
    );
    const sleeping = "select from pg_stat_activity where datname = 'bounded' and wait_event = 'PgSleep'";
    while ((await runSql(tls.cluster.url, sleeping)).length === 0);
    expect((await migrate(database)).length).toBeGreaterThan(0);
    await holder;
    await database.close();
  });

  test('is not opened to a server that takes no writes, and the queue leaves nothing behind there', async () => {
    const url = tls.url('postgres', { options: '-c default_transaction_read_only=on' });
    await expect(openDatabase({ url }, [])).rejects.toThrow(/takes no writes/);
    const engine = postgresConnections({ url }, 'queue');
    await expect(openJobs({ engine, definitions: [], maintain: true, onError: () => undefined })).rejects.toThrow(
      /read-only/,
    );
    const rows = await runSql(tls.cluster.url, "select pid from pg_stat_activity where application_name = 'queue'");
    expect(rows).toEqual([]);
  });
});

/** A server that accepts and never says anything. */
async function openSilent() {
  let connections = 0;
  const server = createServer(socket => {
    connections += 1;
    // Heard, so that its end is heard.
    socket.resume().on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    connections: () => connections,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
