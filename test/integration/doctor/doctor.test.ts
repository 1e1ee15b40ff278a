import { beforeAll, describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { SettingsFacts } from '../../../src/kernel/settings/settings-facts.ts';
import { examine } from '../../../src/modules/doctor/examine.ts';
import type { Finding } from '../../../src/modules/doctor/finding.ts';
import { lookAtSettings } from '../../../src/modules/doctor/settings.ts';
import { lookAtTraces } from '../../../src/modules/doctor/traces.ts';
import { sealCanary } from '../../../src/modules/keys/canary.ts';
import type { Traces } from '../../../src/observability/traces/traces.ts';
import { setUpServices, setUpSharedAccount } from '../../support/fixtures.ts';
import { makePin } from '../../support/otp/pins.ts';
import { createTestCtx, OPERATOR, TEST_KEYS } from '../../support/services.ts';
import { makeEndpoint, queueDeliveries } from '../../support/webhooks/stored-webhooks.ts';

const t = setUpServices();
const account = setUpSharedAccount(t);

beforeAll(async () => {
  await sealCanary(t.database.sql(), TEST_KEYS, null);
});

const NEXT = createKeyRing(Buffer.alloc(32, 8), [Buffer.alloc(32, 7)]);
const FOREIGN = createKeyRing(Buffer.alloc(32, 9), []);

async function find(name: string, services: Partial<typeof t.services> = {}): Promise<Finding[]> {
  const ctx = createTestCtx({ ...t.services, ...services }, OPERATOR);
  return (await examine(ctx)).findings.filter(finding => finding.name === name);
}

describe('the doctor', () => {
  test('finds nothing broken where nothing is', async () => {
    const { status, findings } = await examine(t.ctxFor(OPERATOR));
    expect(findings.filter(finding => finding.status === 'fault')).toEqual([]);
    expect(status).not.toBe('fault');
    expect(findings.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'database.version',
        'database.schema',
        'database.writing',
        'clock',
        'disk',
        'keys.database',
      ]),
    );
    for (const { status, mend } of findings) expect(mend === null).toBe(status === 'ok');
  });

  test('is for the operator alone', async () => {
    await expect(examine(t.ctxFor(account.actor('management')))).rejects.toMatchObject({ code: 'wrong_area' });
  });

  test('says what a key has made, and which it lacks', async () => {
    await makePin(t.sql, { accountId: account.accountId });
    await makeEndpoint(t, account.accountId);
    const { currentId } = TEST_KEYS;
    expect(await find('keys.current')).toMatchObject([
      {
        message: expect.stringMatching(
          `^The current key is ${currentId}; it has made 1 live passcode and the secrets? of [0-9]+ webhook`,
        ),
      },
    ]);
    expect(await find('keys.former', { keys: NEXT })).toMatchObject([
      { status: 'ok', message: expect.stringContaining(`${currentId} has made 1 live passcode`) },
    ]);
    expect(await find('keys.database', { keys: NEXT })).toMatchObject([{ status: 'warning' }]);
    expect(await find('keys.missing', { keys: FOREIGN })).toMatchObject([
      { status: 'fault', mend: expect.stringContaining(`key forget ${currentId}`) },
    ]);
    expect(await find('keys.database', { keys: FOREIGN })).toMatchObject([{ status: 'fault' }]);
  });

  test('tells of webhooks that wait, fail, or were quarantined', async () => {
    const { endpointId } = await makeEndpoint(t, account.accountId);
    await makeEndpoint(t, account.accountId, { status: 'disabled' });
    const [late = '', dead = ''] = await queueDeliveries(t, account.accountId, endpointId, 2);
    await t.sql(`update webhook_deliveries set next_try_at = now() - interval '5 minutes' where id = $1`, [
      toUuid(late),
    ]);
    await t.sql(`update webhook_deliveries set status = 'dead', error = 'quarantined' where id = $1`, [toUuid(dead)]);
    expect(await find('webhooks.endpoints')).toMatchObject([
      { status: 'warning', message: expect.stringContaining('1 are disabled') },
    ]);
    expect(await find('webhooks.backlog')).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^1 /) },
    ]);
    expect(await find('webhooks.quarantine')).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^1 /) },
    ]);
  });

  test('says that a look failed, and goes on with the others', async () => {
    const settings = { ...t.services.settings, dataDir: '/nowhere/at/all' };
    expect(await find('disk', { settings })).toMatchObject([
      { status: 'fault', message: 'It could not be looked at.' },
    ]);
    expect(await find('database.version', { settings })).toHaveLength(1);
  });
});

const SOUND: SettingsFacts = {
  production: true,
  role: 'all',
  host: '127.0.0.1',
  isEmbedded: false,
  givesSecretKey: true,
  givesOperatorToken: true,
  trustsProxies: true,
  allowedNetworks: 0,
  playground: false,
  sandbox: false,
  logLevel: 'info',
  chatQrDir: '/data/chat-qr',
  dataDir: '/tmp',
  publicUrl: 'https://gateway.example.com',
  retentionDays: 365,
  textRetentionDays: 30,
  isTraced: false,
  requestLogDays: 7,
};

describe('of settings', () => {
  const warned = (facts: Partial<SettingsFacts>): string[] =>
    lookAtSettings({ ...SOUND, ...facts })
      .filter(({ status }) => status === 'warning')
      .map(({ name }) => name);

  test.each<[string, Partial<SettingsFacts>, string[]]>([
    ['sound ones', {}, []],
    [
      'those of a trial',
      {
        production: false,
        trustsProxies: false,
        playground: true,
        sandbox: true,
        givesOperatorToken: false,
        publicUrl: null,
      },
      [],
    ],
    ['a trial that others reach', { production: false, host: '0.0.0.0' }, ['settings.mode']],
    ['plain HTTP to others', { host: '0.0.0.0', trustsProxies: false }, ['settings.tls', 'settings.proxies']],
    ['open networks', { allowedNetworks: 1 }, ['settings.webhook_networks']],
    ['a playground in production', { playground: true }, ['settings.playground']],
    ['a sandbox in production', { sandbox: true }, ['settings.sandbox']],
    ['no address that people know, in production', { publicUrl: null }, ['settings.public_url']],
    [
      'no address that people know, and a trial that others reach',
      { production: false, host: '0.0.0.0', publicUrl: null },
      ['settings.mode', 'settings.public_url'],
    ],
    ['no address that people know, behind a proxy', { production: false, publicUrl: null }, ['settings.public_url']],
    ['a cookie that is not for HTTPS alone', { publicUrl: 'http://gateway.example.com' }, ['settings.public_url']],
    ['a quiet log', { logLevel: 'silent' }, ['settings.log']],
  ])('%s', (_title, facts, names) => {
    expect(warned(facts)).toEqual(names);
  });
});

describe('of traces', () => {
  const traces = (isFailing: boolean): Traces => ({ isFailing }) as Traces;

  test.each<[string, boolean, Traces | null, string[]]>([
    ['nothing where they are off', false, null, []],
    ['that they arrive', true, traces(false), ['ok']],
    ['a collector that takes nothing', true, traces(true), ['warning']],
    ['an SDK that is missing, with the command that installs it', true, null, ['warning']],
  ])('%s', (_title, isTraced, given, statuses) => {
    const found = lookAtTraces({ settings: { ...SOUND, isTraced }, traces: given });
    expect(found.map(({ status }) => status)).toEqual(statuses);
    if (isTraced && given === null)
      expect(found[0]?.mend).toMatch(/^Run: npm install --no-save @opentelemetry\/api@[\d.]+ /);
  });
});
