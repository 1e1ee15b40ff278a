import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { ConfigError, type ConfigFault } from '../../src/kernel/settings/config-error.ts';
import { settingsTable } from '../../src/kernel/settings/settings.ts';
import { expectRows } from '../support/expect-rows.ts';
import { REPOSITORY } from '../support/repository.ts';
import { assertProperty, runs } from '../support/runner/properties.ts';

const KEY = Buffer.alloc(32, 7).toString('base64');
const FORMER_KEYS = [Buffer.alloc(32, 5), Buffer.alloc(48, 6)];
const URL_GIVEN = 'postgres://user:secret@db.example:5432/gateway';
const DIRECT_URL_GIVEN = 'postgres://user:secret@db.example:6432/gateway';
const REPLICA_URL_GIVEN = 'postgres://user:secret@replica.example:5432/gateway';

/** A value for each setting. */
const GIVEN = {
  PORT: '0',
  HOST: '::',
  DATABASE_URL: URL_GIVEN,
  DATABASE_DIRECT_URL: DIRECT_URL_GIVEN,
  DATABASE_REPLICA_URL: REPLICA_URL_GIVEN,
  DATABASE_POOL_SIZE: '5',
  DATABASE_CONNECT_TIMEOUT_MS: '0',
  DATABASE_STATEMENT_TIMEOUT_MS: '1000',
  DATA_DIR: '/srv/my data/été',
  CHAT_QR_DIR: '/srv/chat-qr',
  EMBEDDED_DURABILITY: 'relaxed',
  SECRET_KEY: KEY,
  SECRET_KEY_PREVIOUS: FORMER_KEYS.map(key => key.toString('base64')).join(', '),
  OPERATOR_TOKEN: 'o'.repeat(32),
  TRUSTED_PROXIES: '2',
  WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, ::1',
  CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
  TRUSTED_DOCUMENTS: '/srv/my documents.json',
  PUBLIC_URL: 'https://gateway.example.com/sms/',
  SMTP_URL: 'smtps://user:word@mail.example.com',
  MAIL_FROM: 'Heliograph <alerts@example.com>',
  OIDC_ISSUER: 'https://login.example.com/realms/shop',
  OIDC_CLIENT_ID: 'heliograph',
  OIDC_CLIENT_SECRET: 'a secret',
  OIDC_NAME: 'Keyhouse',
  OIDC_SCOPE: 'openid  email',
  OIDC_ROLE_CLAIM: 'realm_access.roles',
  OIDC_ROLES: 'admins=owner, a=b=viewer',
  OIDC_ACCOUNT: 'acc_01a2018440937783af1a5b1f9c0d2e3f',
  DOORS: 'twilio, supabase',
  SUPABASE_HOOK_SECRET: `v1,whsec_${KEY}`,
  SUPABASE_HOOK_TOKEN: 'hg_otp_a',
  SUPABASE_HOOK_TEXT: '{{code}} opens the shop.',
  PLAYGROUND: 'on',
  SANDBOX: 'on',
  RETENTION_DAYS: '90',
  TEXT_RETENTION_DAYS: '7',
  REQUEST_LOG_DAYS: '3',
  MAX_CONCURRENT_REQUESTS: '10',
  STREAMS_PER_ACCOUNT: '7',
  CONNECTIONS_PER_ADDRESS: '20',
  CONNECTIONS_PER_ACCOUNT: '30',
  PROCESSES: '3',
  ROLE: 'worker',
  NODE_ENV: 'production',
  LOG_LEVEL: 'debug',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com/otlp/',
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: '0.25',
};

const HOOK_TEXT_FAULT =
  'SUPABASE_HOOK_TEXT must hold {{code}} and no other placeholder, as in "{{code}} is your code for Example."';

/** The faults of an environment that must be refused. */
function faultsOf(env: Record<string, string>): readonly ConfigFault[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  throw new Error('the settings were taken');
}

describe('readConfig', () => {
  it('has a default for every setting', () => {
    expect(readConfig({})).toEqual({
      port: 4000,
      host: '127.0.0.1',
      databaseUrl: null,
      databaseDirectUrl: null,
      databaseReplicaUrl: null,
      databaseLimits: { poolSize: 20, connectTimeoutMs: 5_000, statementTimeoutMs: 60_000 },
      dataDir: resolve('.data'),
      chatQrDir: resolve('.data/chat-qr'),
      embeddedDurability: 'full',
      secretKey: null,
      previousSecretKeys: [],
      operatorToken: null,
      trustedProxies: null,
      webhookAllowedNetworks: [],
      corsOrigins: [],
      trustedDocuments: null,
      publicUrl: null,
      mail: null,
      oidc: null,
      doors: { open: [], supabase: null },
      playground: true,
      sandbox: true,
      retentionDays: 365,
      textRetentionDays: 30,
      requestLogDays: 7,
      maxConcurrentRequests: 64,
      streamsPerAccount: 50,
      connectionsPerAddress: 500,
      connectionsPerAccount: 1_000,
      processes: 1,
      role: 'all',
      production: false,
      logLevel: 'info',
      traces: null,
    });
  });

  it('reads every setting that is given', () => {
    expectRows(
      'GIVEN',
      Object.keys(GIVEN),
      settingsTable().map(({ name }) => name),
    );
    expect(readConfig(GIVEN)).toEqual({
      port: 0,
      host: '::',
      databaseUrl: URL_GIVEN,
      databaseDirectUrl: DIRECT_URL_GIVEN,
      databaseReplicaUrl: REPLICA_URL_GIVEN,
      databaseLimits: { poolSize: 5, connectTimeoutMs: 0, statementTimeoutMs: 1_000 },
      dataDir: resolve('/srv/my data/été'),
      chatQrDir: '/srv/chat-qr',
      embeddedDurability: 'relaxed',
      secretKey: Buffer.alloc(32, 7),
      previousSecretKeys: FORMER_KEYS,
      operatorToken: 'o'.repeat(32),
      trustedProxies: { hops: 2 },
      webhookAllowedNetworks: ['10.0.0.0/8', '::1/128'],
      corsOrigins: ['https://app.example.com', 'http://localhost:5173'],
      trustedDocuments: resolve('/srv/my documents.json'),
      publicUrl: 'https://gateway.example.com/sms',
      mail: {
        server: {
          host: 'mail.example.com',
          port: 465,
          secure: true,
          requireTLS: false,
          ignoreTLS: false,
          auth: { user: 'user', pass: 'word' },
        },
        from: { name: 'Heliograph', address: 'alerts@example.com' },
      },
      oidc: {
        issuer: new URL('https://login.example.com/realms/shop'),
        clientId: 'heliograph',
        clientSecret: 'a secret',
        name: 'Keyhouse',
        scope: 'openid email',
        roleClaim: 'realm_access.roles',
        roles: new Map([
          ['admins', 'owner'],
          ['a=b', 'viewer'],
        ]),
        accountId: 'acc_01a2018440937783af1a5b1f9c0d2e3f',
      },
      doors: {
        open: ['twilio', 'supabase'],
        supabase: { secret: Buffer.alloc(32, 7), token: 'hg_otp_a', text: '{{code}} opens the shop.' },
      },
      playground: true,
      sandbox: true,
      retentionDays: 90,
      textRetentionDays: 7,
      requestLogDays: 3,
      maxConcurrentRequests: 10,
      streamsPerAccount: 7,
      connectionsPerAddress: 20,
      connectionsPerAccount: 30,
      processes: 3,
      role: 'worker',
      production: true,
      logLevel: 'debug',
      traces: { endpoint: 'https://collector.example.com/otlp', sampler: 'parentbased_traceidratio', ratio: 0.25 },
    });
  });

  it('counts empty and blank variables as unset', () => {
    const blank = Object.fromEntries(settingsTable().map((row, index) => [row.name, index % 2 === 0 ? '' : '  ']));
    expect(readConfig(blank)).toEqual(readConfig({}));
  });

  it('drops the blanks around a value, but not those of a path', () => {
    const config = readConfig({ PORT: ' 80\r', ROLE: 'all ', DATA_DIR: '/srv/data ' });
    expect(config).toMatchObject({ port: 80, role: 'all', dataDir: resolve('/srv/data ') });
  });

  it.each([
    ['10.0.0.1', { networks: ['10.0.0.1/32'] }],
    ['10.0.0.0/8,fd00::/8,', { networks: ['10.0.0.0/8', 'fd00::/8'] }],
    ['0', null],
    [',', null],
  ])('reads TRUSTED_PROXIES=%s', (text, trustedProxies) => {
    expect(readConfig({ TRUSTED_PROXIES: text }).trustedProxies).toEqual(trustedProxies);
  });

  it.each([KEY, KEY.replace(/=+$/, ''), Buffer.alloc(33, 0xff).toString('base64url')])('takes SECRET_KEY %s', text => {
    expect(readConfig({ SECRET_KEY: text }).secretKey?.toString('base64url')).toBe(
      Buffer.from(text, 'base64').toString('base64url'),
    );
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '80.5'],
    ['PORT', '0x50'],
    ['PORT', 'http'],
    ['HOST', 'http://127.0.0.1'],
    ['HOST', '127.0.0.1:4000'],
    ['HOST', '[::1]'],
    ['DATABASE_URL', 'mysql://user@db/gateway'],
    ['DATABASE_URL', 'postgres:///gateway'],
    ['DATABASE_URL', 'db.example/gateway'],
    ['DATABASE_URL', 'postgres://user:se#cret@db/gateway'],
    ['DATABASE_URL', 'postgres://user:12#34@db/gateway'],
    ['DATABASE_URL', 'postgres://user:12/34@db/gateway'],
    ['DATABASE_URL', 'postgres://user:se%cret@db/gateway'],
    ['DATABASE_URL', 'postgres://user@db:99999/gateway'],
    ['DATA_DIR', '/srv/da\0ta'],
    ['SECRET_KEY', Buffer.alloc(31).toString('base64')],
    ['SECRET_KEY', `${KEY}!`],
    ['SECRET_KEY', 'correct horse battery staple correct horse battery staple'],
    ['SECRET_KEY', `${KEY},${KEY}`],
    ['SECRET_KEY_PREVIOUS', Buffer.alloc(31).toString('base64')],
    ['SECRET_KEY_PREVIOUS', `${KEY},${KEY}!`],
    ['SECRET_KEY_PREVIOUS', `${KEY} ${KEY}`],
    ['OPERATOR_TOKEN', 'o'.repeat(31)],
    ['OPERATOR_TOKEN', `${'o'.repeat(20)} ${'o'.repeat(20)}`],
    ['OPERATOR_TOKEN', 'ö'.repeat(40)],
    ['TRUSTED_PROXIES', '-1'],
    ['TRUSTED_PROXIES', '1.5'],
    ['TRUSTED_PROXIES', '33'],
    ['TRUSTED_PROXIES', '1,10.0.0.0/8'],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/33'],
    ['WEBHOOK_ALLOWED_NETWORKS', 'fd00::/129'],
    ['WEBHOOK_ALLOWED_NETWORKS', 'fe80::1%eth0/64'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/8/8'],
    ['WEBHOOK_ALLOWED_NETWORKS', '10.0.0.0/ff'],
    ['WEBHOOK_ALLOWED_NETWORKS', '2'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'app.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com:443'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'https://App.example.com'],
    ['CORS_ORIGINS', 'ftp://app.example.com'],
    ['CORS_ORIGINS', 'https://a.example,javascript:alert(1)'],
    ['TRUSTED_DOCUMENTS', '/srv/do\0cuments.json'],
    ['PUBLIC_URL', 'gateway.example.com'],
    ['PUBLIC_URL', 'ftp://gateway.example.com'],
    ['PUBLIC_URL', 'https://user@gateway.example.com'],
    ['PUBLIC_URL', 'https://gateway.example.com/?a=b'],
    ['PLAYGROUND', 'yes'],
    ['RETENTION_DAYS', '30'],
    ['RETENTION_DAYS', '3651'],
    ['TEXT_RETENTION_DAYS', '0'],
    ['TEXT_RETENTION_DAYS', '3651'],
    ['REQUEST_LOG_DAYS', '0'],
    ['REQUEST_LOG_DAYS', '366'],
    ['MAX_CONCURRENT_REQUESTS', '0'],
    ['CONNECTIONS_PER_ADDRESS', '0'],
    ['CONNECTIONS_PER_ADDRESS', '10001'],
    ['CONNECTIONS_PER_ACCOUNT', '0'],
    ['CONNECTIONS_PER_ACCOUNT', '10001'],
    ['MAX_CONCURRENT_REQUESTS', '100001'],
    ['MAX_CONCURRENT_REQUESTS', '1e3'],
    ['STREAMS_PER_ACCOUNT', '0'],
    ['STREAMS_PER_ACCOUNT', '2001'],
    ['PROCESSES', '0'],
    ['PROCESSES', 'all'],
    ['ROLE', 'both'],
    ['ROLE', 'ALL'],
    ['LOG_LEVEL', 'verbose'],
    ['EMBEDDED_DURABILITY', 'none'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%'],
  ])('refuses %s=%j with one fault that names it', (name, text) => {
    const faults = faultsOf({ [name]: text });
    expect(faults.map(fault => fault.variable)).toEqual([name]);
    expect(faults[0]?.message).toMatch(new RegExp(`^${name} .*(set it to|make one with|it must look like)`));
    expect(faults[0]?.message).not.toContain('\n');
  });

  it.each([
    [',', 0],
    [`${KEY},`, 1],
    [` ${KEY} ,, ${Buffer.alloc(40, 0xff).toString('base64url')}`, 2],
  ])('reads the keys of SECRET_KEY_PREVIOUS=%j', (text, count) => {
    expect(readConfig({ SECRET_KEY_PREVIOUS: text }).previousSecretKeys).toHaveLength(count);
  });

  it('names the place of a faulty entry of SECRET_KEY_PREVIOUS', () => {
    expect(faultsOf({ SECRET_KEY_PREVIOUS: `${KEY},,c2hvcnQ=` })[0]?.message).toBe(
      'SECRET_KEY_PREVIOUS (entry 2) holds 5 bytes, fewer than 32; set it to former values of SECRET_KEY, separated by commas.',
    );
  });

  it('does not take a former key for the current one', () => {
    expect(readConfig({ SECRET_KEY_PREVIOUS: KEY }).secretKey).toBeNull();
    expect(faultsOf({ NODE_ENV: 'production', SECRET_KEY_PREVIOUS: KEY })).toHaveLength(1);
  });

  it('needs SECRET_KEY with NODE_ENV=production', () => {
    const faults = faultsOf({ NODE_ENV: 'production' });
    expect(faults).toEqual([
      {
        variable: 'SECRET_KEY',
        message: 'SECRET_KEY is not set, and NODE_ENV=production needs it; make one with: openssl rand -base64 32',
      },
    ]);
    expect(readConfig({ NODE_ENV: 'production', SECRET_KEY: KEY }).production).toBe(true);
  });

  it.each([
    [undefined, false],
    ['on', true],
    ['off', false],
  ])('with NODE_ENV=production and PLAYGROUND=%s the playground is %s', (text, playground) => {
    const env = { NODE_ENV: 'production', SECRET_KEY: KEY, ...(text === undefined ? {} : { PLAYGROUND: text }) };
    expect(readConfig(env).playground).toBe(playground);
  });

  it.each([
    [undefined, undefined, true],
    [undefined, 'off', false],
    ['production', undefined, false],
    ['production', 'on', true],
    ['production', 'off', false],
  ])('with NODE_ENV=%s and SANDBOX=%s the sandbox is %s', (NODE_ENV, SANDBOX, sandbox) => {
    expect(readConfig({ NODE_ENV, SECRET_KEY: KEY, SANDBOX }).sandbox).toBe(sandbox);
  });

  it.each(['api', 'worker'])('refuses ROLE=%s with the embedded database', role => {
    expect(faultsOf({ ROLE: role })).toEqual([
      {
        variable: 'ROLE',
        message: `ROLE is "${role}", but the embedded database belongs to one process; set DATABASE_URL, or set ROLE to all.`,
      },
    ]);
    expect(readConfig({ ROLE: role, DATABASE_URL: URL_GIVEN }).role).toBe(role);
  });

  it('refuses several processes with the embedded database', () => {
    expect(faultsOf({ PROCESSES: '2' })).toEqual([
      {
        variable: 'PROCESSES',
        message:
          'PROCESSES is 2, but the embedded database belongs to one process; set DATABASE_URL, or set PROCESSES to 1.',
      },
    ]);
    expect(faultsOf({ PROCESSES: '65', DATABASE_URL: URL_GIVEN }).map(({ variable }) => variable)).toEqual([
      'PROCESSES',
    ]);
    expect(readConfig({ PROCESSES: '1' }).processes).toBe(1);
  });

  it('takes PROCESSES=auto for a process less than there are cores, and for one with the embedded database', () => {
    const cores = availableParallelism();
    expect(readConfig({ PROCESSES: 'auto', DATABASE_URL: URL_GIVEN }).processes).toBe(Math.max(1, cores - 1));
    expect(readConfig({ PROCESSES: 'auto' }).processes).toBe(1);
  });

  it.each(['DATABASE_DIRECT_URL', 'DATABASE_REPLICA_URL'])('refuses %s without DATABASE_URL', variable => {
    expect(faultsOf({ [variable]: DIRECT_URL_GIVEN })).toEqual([
      {
        variable,
        message: `${variable} is set, but DATABASE_URL is not; set DATABASE_URL to the address for all else, or leave ${variable} out.`,
      },
    ]);
  });

  it('names DATABASE_DIRECT_URL where it is the one that is wrong', () => {
    expect(faultsOf({ DATABASE_URL: URL_GIVEN, DATABASE_DIRECT_URL: `${DIRECT_URL_GIVEN}?sslmode=no` })).toEqual([
      {
        variable: 'DATABASE_DIRECT_URL',
        message: 'DATABASE_DIRECT_URL: sslmode must be one of disable, allow, prefer, require, verify-ca, verify-full.',
      },
    ]);
  });

  it.each([
    [
      { SMTP_URL: 'smtp://mail.example.com' },
      'MAIL_FROM is not set, and SMTP_URL is; set both to send mail, or neither.',
    ],
    [{ MAIL_FROM: 'a@example.com' }, 'SMTP_URL is not set, and MAIL_FROM is; set both to send mail, or neither.'],
  ])('refuses one setting of mail without the other: %o', (env, message) => {
    expect(faultsOf(env).map(fault => fault.message)).toEqual([message]);
  });

  it.each<[Record<string, string>, string]>([
    [{ DOORS: 'twillio' }, 'DOORS holds "twillio"; set it to some of twilio, infobip, supabase.'],
    [
      { DOORS: 'supabase', SUPABASE_HOOK_TOKEN: 'hg_uni_a' },
      'SUPABASE_HOOK_SECRET is not set, and the door supabase of DOORS needs it; set it, or leave supabase out.',
    ],
    [
      { SUPABASE_HOOK_SECRET: 'whsec_short' },
      'SUPABASE_HOOK_SECRET is not a secret of a Supabase hook; set it to all of v1,whsec_…',
    ],
    [
      { SUPABASE_HOOK_TOKEN: 'hg_sms_a' },
      'SUPABASE_HOOK_TOKEN is not a token for passcodes; set it to a token of the area otp or unified.',
    ],
    [{ SUPABASE_HOOK_TEXT: 'no place' }, HOOK_TEXT_FAULT],
    [{ SUPABASE_HOOK_TEXT: '{{code}} for {{minutes}} minutes' }, HOOK_TEXT_FAULT],
    [{ SUPABASE_HOOK_TEXT: '{{code}} and {{{code}}}' }, HOOK_TEXT_FAULT],
    [
      { SUPABASE_HOOK_TEXT: `{{code}}${'x'.repeat(1_600)}` },
      'SUPABASE_HOOK_TEXT is longer than 1600 characters; shorten it.',
    ],
  ])('refuses a setting of doors: %o', (env, message) => {
    expect(faultsOf(env).map(fault => fault.message)).toEqual([message]);
  });

  it.each([
    [{ OIDC_ISSUER: 'http://login.example.com' }, /^OIDC_ISSUER must begin with https/],
    [{ OIDC_ISSUER: 'login' }, /^OIDC_ISSUER is no issuer/],
    [{ OIDC_ROLES: 'admins=root' }, /^OIDC_ROLES must look like admins=owner/],
    [{ OIDC_ACCOUNT: 'acc_1' }, /^OIDC_ACCOUNT is no id/],
    [{ OIDC_SCOPE: 'email' }, /^OIDC_SCOPE must hold openid/],
    [
      { OIDC_ISSUER: 'http://127.0.0.1:9', OIDC_CLIENT_SECRET: 's3cret' },
      /^OIDC_CLIENT_ID, OIDC_ROLES, OIDC_ACCOUNT are not set; set all of/,
    ],
  ])('refuses %o', (env, message) => {
    const [first] = faultsOf(env).map(fault => fault.message);
    expect(first).toMatch(message);
    expect(first).not.toContain('s3cret');
  });

  it('reports all faults at once, those between two settings too', () => {
    const env = {
      PORT: 'x',
      HOST: 'a b',
      DATABASE_URL: '',
      DATABASE_POOL_SIZE: '0',
      DATABASE_CONNECT_TIMEOUT_MS: '5s',
      DATABASE_STATEMENT_TIMEOUT_MS: '-1',
      DATA_DIR: '\0',
      SECRET_KEY_PREVIOUS: 'short',
      OPERATOR_TOKEN: 'short',
      TRUSTED_PROXIES: 'x',
      WEBHOOK_ALLOWED_NETWORKS: 'x',
      CORS_ORIGINS: 'x',
      TRUSTED_DOCUMENTS: '\0',
      PUBLIC_URL: 'x',
      SMTP_URL: 'x',
      MAIL_FROM: 'x',
      PLAYGROUND: 'x',
      MAX_CONCURRENT_REQUESTS: 'x',
      STREAMS_PER_ACCOUNT: 'x',
      ROLE: 'api',
      NODE_ENV: 'production',
      LOG_LEVEL: 'x',
    };
    const names = faultsOf(env).map(fault => fault.variable);
    expect(names.toSorted().join(' ')).toBe(
      'CORS_ORIGINS DATABASE_CONNECT_TIMEOUT_MS DATABASE_POOL_SIZE DATABASE_STATEMENT_TIMEOUT_MS DATA_DIR HOST LOG_LEVEL MAIL_FROM MAX_CONCURRENT_REQUESTS OPERATOR_TOKEN PLAYGROUND PORT PUBLIC_URL ROLE SECRET_KEY SECRET_KEY_PREVIOUS SMTP_URL STREAMS_PER_ACCOUNT TRUSTED_DOCUMENTS TRUSTED_PROXIES WEBHOOK_ALLOWED_NETWORKS',
    );
  });

  it('prints one line for each fault', () => {
    expect(() => readConfig({ PORT: 'x', LOG_LEVEL: 'x' })).toThrow(/^PORT is "x"; .*\nLOG_LEVEL is "x"; .*$/);
  });

  it.each([
    'SECRET_KEY',
    'SECRET_KEY_PREVIOUS',
    'OPERATOR_TOKEN',
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_REPLICA_URL',
    'SMTP_URL',
    'SUPABASE_HOOK_SECRET',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ])('never repeats the value of %s', name => {
    const secret = fc.string({ minLength: 8, maxLength: 30, unit: fc.constantFrom(...'QZXJ%#!7') });
    assertProperty(
      fc.property(secret, value => {
        const text = name.startsWith('DATABASE') ? `postgresql://${value}:${value}@/` : value;
        const message = faultsOf({ [name]: text })
          .map(fault => fault.message)
          .join();
        expect(message).not.toContain(value);
      }),
      { numRuns: runs() },
    );
  });

  it('either reads a setting or throws ConfigError, whatever the text', () => {
    const texts = Object.fromEntries(settingsTable().map(row => [row.name, fc.string({ unit: 'binary' })]));
    assertProperty(
      fc.property(fc.record(texts, { requiredKeys: [] }), env => {
        try {
          readConfig(env);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
    );
  });

  it('shows a long value cut short', () => {
    expect(faultsOf({ ROLE: 'x'.repeat(10_000) })[0]?.message.length).toBeLessThan(200);
  });
});

describe('settingsTable', () => {
  it('describes every variable', () => {
    const rows = settingsTable();
    expect(rows.map(row => row.name).join(' ')).toBe(
      'PORT HOST DATABASE_URL DATABASE_DIRECT_URL DATABASE_REPLICA_URL DATABASE_POOL_SIZE DATABASE_CONNECT_TIMEOUT_MS DATABASE_STATEMENT_TIMEOUT_MS DATA_DIR CHAT_QR_DIR EMBEDDED_DURABILITY SECRET_KEY SECRET_KEY_PREVIOUS OPERATOR_TOKEN TRUSTED_PROXIES WEBHOOK_ALLOWED_NETWORKS CORS_ORIGINS TRUSTED_DOCUMENTS PUBLIC_URL SMTP_URL MAIL_FROM OIDC_ISSUER OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_NAME OIDC_SCOPE OIDC_ROLE_CLAIM OIDC_ROLES OIDC_ACCOUNT DOORS SUPABASE_HOOK_SECRET SUPABASE_HOOK_TOKEN SUPABASE_HOOK_TEXT PLAYGROUND SANDBOX RETENTION_DAYS TEXT_RETENTION_DAYS REQUEST_LOG_DAYS MAX_CONCURRENT_REQUESTS STREAMS_PER_ACCOUNT CONNECTIONS_PER_ADDRESS CONNECTIONS_PER_ACCOUNT PROCESSES ROLE NODE_ENV LOG_LEVEL OTEL_EXPORTER_OTLP_ENDPOINT OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG',
    );
    for (const row of rows) {
      expect(row.meaning.length).toBeGreaterThan(20);
      expect(row.default).not.toBe('');
      expect(row.meaning + row.default).not.toMatch(/[|\n]/);
    }
  });

  it('shows the defaults that are really used', () => {
    const shown = settingsTable().flatMap(row => {
      const value = /^`(.+)`$/.exec(row.default)?.[1];
      return value === undefined ? [] : [[row.name, value] as const];
    });
    expect(shown.map(([name]) => name)).toEqual([
      'PORT',
      'HOST',
      'DATABASE_POOL_SIZE',
      'DATABASE_CONNECT_TIMEOUT_MS',
      'DATABASE_STATEMENT_TIMEOUT_MS',
      'DATA_DIR',
      'EMBEDDED_DURABILITY',
      'OIDC_NAME',
      'OIDC_SCOPE',
      'OIDC_ROLE_CLAIM',
      'SUPABASE_HOOK_TEXT',
      'RETENTION_DAYS',
      'TEXT_RETENTION_DAYS',
      'REQUEST_LOG_DAYS',
      'MAX_CONCURRENT_REQUESTS',
      'STREAMS_PER_ACCOUNT',
      'CONNECTIONS_PER_ADDRESS',
      'CONNECTIONS_PER_ACCOUNT',
      'PROCESSES',
      'ROLE',
      'LOG_LEVEL',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
    ]);
    expect(readConfig(Object.fromEntries(shown))).toEqual(readConfig({}));
  });
});

describe('the entry start.js', () => {
  const entry = join(REPOSITORY, 'src/start.js');
  const room = mkdtempSync(join(tmpdir(), 'start entry é '));
  afterAll(() => rmSync(room, { recursive: true }));

  /** A copy of the entry beside a gateway and a command line that only say what they were given. */
  function copyEntry(): string {
    const say = 'const given: string[] = process.argv.slice(2);\n';
    mkdirSync(join(room, 'cli'), { recursive: true });
    cpSync(entry, join(room, 'start.js'));
    // The entry finds no build there.
    cpSync(join(REPOSITORY, 'src/kernel/process/built.js'), join(room, 'kernel/process/built.js'));
    writeFileSync(join(room, 'package.json'), '{"type":"module"}');
    writeFileSync(join(room, 'main.ts'), `${say}process.stdout.write(JSON.stringify({ main: given }));`);
    writeFileSync(join(room, 'cli/main.ts'), `${say}process.stdout.write(JSON.stringify({ cli: given }));`);
    return join(room, 'start.js');
  }

  const run = (node: string, args: string[]) =>
    spawnSync(node, args, { encoding: 'utf8', env: { PATH: process.env.PATH ?? '' } });

  it('starts the gateway', () => {
    const ended = run(process.execPath, [copyEntry()]);
    expect(ended).toMatchObject({ status: 0, stdout: '{"main":[]}', stderr: '' });
  });

  it('starts the command line with the arguments that follow', () => {
    const ended = run(process.execPath, [copyEntry(), 'cli', 'token', 'list', '--json']);
    expect(ended).toMatchObject({ status: 0, stdout: '{"cli":["token","list","--json"]}', stderr: '' });
  });

  it('says so when type stripping is switched off', () => {
    const ended = run(process.execPath, ['--no-strip-types', copyEntry()]);
    expect(ended).toMatchObject({ status: 1, stdout: '' });
    expect(ended.stderr).toContain('type stripping is switched off');
  });

  it('says which Node it needs when the machine has an older one', context => {
    const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', ...(process.env.PATH ?? '').split(delimiter)];
    const old = [...new Set(folders)]
      .map(folder => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
      .filter(node => existsSync(node))
      .map(node => ({ node, version: run(node, ['-p', 'process.versions.node']).stdout.trim() }))
      .find(found => found.version !== '' && Number.parseInt(found.version, 10) < 24);
    if (old === undefined) {
      const reason = 'this machine has no Node.js older than 24';
      process.stderr.write(`skipped: ${reason}\n`);
      return context.skip(reason);
    }
    for (const args of [[], ['cli', 'demo']]) {
      const ended = run(old.node, [entry, ...args]);
      expect(ended).toMatchObject({ status: 1, stdout: '' });
      expect(ended.stderr).toMatch(/^Heliograph needs Node\.js 24 /);
      expect(ended.stderr).toContain(`this is Node.js ${old.version}`);
      expect(ended.stderr).toMatch(/linux-x64, linux-arm64 and win-x64, "npm ci" .*"npm start"/);
      expect(ended.stderr).toMatch(/On other platforms .* install Node\.js 24/);
      expect(ended.stderr.trim().split('\n')).toHaveLength(3);
    }
  });
});
