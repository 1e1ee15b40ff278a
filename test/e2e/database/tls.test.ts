import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSql } from '../../support/databases/postgres.ts';
import { openLane, PASSWORD, startTlsCluster } from '../../support/databases/tls-cluster.ts';
import { runCli } from '../../support/processes/cli.ts';
import {
  type Demo,
  failToStart,
  type Gateway,
  makeFolder,
  seedDemo,
  send,
  startGateway,
  until,
} from '../../support/processes/gateway.ts';

const tls = await startTlsCluster();
afterAll(() => tls?.stop());

const SECRET_KEY = Buffer.alloc(32, 5).toString('base64');

describe.skipIf(tls === null)('a PostgreSQL with TLS', () => {
  if (tls === null) return;
  const { ca, otherCa, client, cluster, port } = tls;
  const verified = { sslmode: 'verify-full', sslrootcert: ca };
  /** As a role that TLS alone lets in. */
  const url = tls.url('gateway', verified);

  /** The refusal of this URL by the gateway and the command line: one sentence, and the same. */
  async function refusalOf(databaseUrl: string): Promise<string> {
    const started = await failToStart({ databaseUrl, env: { LOG_LEVEL: 'info' } });
    const command = await runCli({ DATABASE_URL: databaseUrl, DATA_DIR: await makeFolder() }, 'account', 'list');
    const said = (stderr: string): string[] => stderr.split('\n').filter(line => line !== '' && !line.endsWith(' …'));
    expect({ code: started.code, said: said(started.stderr).length }, started.stderr).toEqual({ code: 1, said: 1 });
    expect({ code: command.status, said: said(command.stderr) }).toEqual({ code: 1, said: said(started.stderr) });
    expect(started.stderr + command.stderr).not.toContain(PASSWORD);
    return said(started.stderr)[0] ?? '';
  }

  beforeAll(async () => {
    await runSql(cluster.url, 'create database gateway owner tls_only');
    await runSql(cluster.url, 'create database certificates owner certified');
  });

  describe('and a gateway that trusts it', () => {
    let gateway: Gateway;
    let demo: Demo;

    beforeAll(async () => {
      gateway = await startGateway({ databaseUrl: url, env: { SECRET_KEY } });
      demo = await seedDemo(gateway);
    });
    afterAll(async () => {
      gateway.kill('SIGTERM');
      await gateway.exited;
    });

    test('sends over connections that are all encrypted, the pool, the queue and those that listen', async () => {
      const sends = await Promise.all(Array.from({ length: 20 }, () => send(gateway, demo.tokens.unified)));
      expect(sends.map(({ status }) => status)).toEqual(sends.map(() => 200));
      const rows = await runSql(
        cluster.url,
        `select application_name as name, bool_and(ssl) as ssl from pg_stat_activity join pg_stat_ssl using (pid)
         where datname = 'gateway' group by 1 order by 1`,
      );
      expect(rows).toEqual(['heliograph', 'heliograph-listen', 'heliograph-queue'].map(name => ({ name, ssl: true })));
    });

    test('is asked by a command in process, by the authorities of the machine too', async () => {
      const env = { DATABASE_URL: url, DATA_DIR: await makeFolder(), SECRET_KEY };
      expect(await runCli(env, 'account', 'list')).toMatchObject({ status: 0 });
      const system = { ...env, DATABASE_URL: tls.url('gateway', { sslrootcert: 'system' }) };
      expect(await runCli({ ...system, SSL_CERT_FILE: ca }, 'account', 'list')).toMatchObject({ status: 0 });
      expect(await runCli({ ...system, SSL_CERT_FILE: otherCa }, 'account', 'list')).toMatchObject({ status: 1 });
    });
  });

  test('of another authority is refused in one sentence', async () => {
    const sentence = await refusalOf(tls.url('gateway', { ...verified, sslrootcert: otherCa }));
    expect(sentence).toMatch(
      /^The database of DATABASE_URL cannot be used: the certificate of localhost:\d+ is not trusted: .*\.$/,
    );
  });

  test('under another name is refused in one sentence', async () => {
    const sentence = await refusalOf(tls.url('gateway', verified, { hosts: `127.0.0.1:${port}` }));
    expect(sentence).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not trusted: .*altnames/);
  });

  test('that takes no writes is refused in one sentence', async () => {
    const options = '-c default_transaction_read_only=on';
    expect(await refusalOf(tls.url('gateway', { ...verified, options }))).toMatch(/it takes no writes/);
  });

  test('without a file that the URL names is refused in one sentence', async () => {
    const sentence = await refusalOf(tls.url('gateway', { ...verified, sslrootcert: '/no/such.pem' }));
    expect(sentence).toBe('DATABASE_URL: the file "/no/such.pem" of sslrootcert cannot be read (ENOENT).');
  });

  test('lets a gateway in by its certificate, under the name that the URL gives it', async () => {
    const parameters = { ...verified, sslcert: client.certificate, sslkey: client.key, application_name: 'ours' };
    const gateway = await startGateway({ databaseUrl: tls.url('certificates', parameters, { role: 'certified' }) });
    const rows = await runSql(
      cluster.url,
      `select distinct application_name as name, ssl, client_dn as subject from pg_stat_activity join pg_stat_ssl using (pid)
       where datname = 'certificates'`,
    );
    expect(rows).toEqual([{ name: 'ours', ssl: true, subject: '/CN=certified' }]);
    gateway.kill('SIGTERM');
    await gateway.exited;
  });

  test('is found where it is when the first server is dead, and when the first dies', async () => {
    const [first, second] = [await openLane(port), await openLane(port)];
    const hosts = `localhost:9,localhost:${first.port},localhost:${second.port}`;
    const gateway = await startGateway({ databaseUrl: tls.url('gateway', verified, { hosts }), env: { SECRET_KEY } });
    const demo = await seedDemo(gateway);
    expect((await send(gateway, demo.tokens.unified)).status).toBe(200);
    await first.cut();
    const answer = await until('a send by the second server', async () => {
      const { status } = await send(gateway, demo.tokens.unified);
      return status === 200 ? status : null;
    });
    expect(answer).toBe(200);
    gateway.kill('SIGTERM');
    await gateway.exited;
    await second.cut();
  });
});
