import { describe, expect, test } from 'vitest';
import type { Ctx } from '../../../src/context.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import { ACCOUNT_CHANNEL } from '../../../src/modules/accounts/authenticate.ts';
import { loadAccount } from '../../../src/modules/accounts/load-account.ts';
import { setOtpTemplate } from '../../../src/modules/accounts/manage-senders.ts';
import { OTP_SETTINGS_DEFAULT } from '../../../src/modules/accounts/settings/otp-settings.policy.ts';
import { otpSettings, updateOtpSettings } from '../../../src/modules/accounts/settings/otp-settings.ts';
import { OPERATOR_TOKEN } from '../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../support/fixtures.ts';
import { OPERATOR } from '../../support/services.ts';

const CLOUD_NUMBER = '15550000002';

const on = setUpApp();
const customer = setUpCustomer(on);

function operatorCtx(): Ctx {
  return on.app.makeCtx(OPERATOR, 'test');
}

/** The grant of an account, as routing and the edges get it. */
async function grantOf(accountId: string) {
  const grant = await loadAccount(on.app.services.database, accountId);
  if (!grant) throw new Error('there is no such account');
  return grant;
}

async function storedOf(accountId: string): Promise<unknown> {
  const [row] = await on.sql<{ stored: unknown }>('select otp_settings as stored from accounts where id = $1', [
    toUuid(accountId),
  ]);
  return row?.stored;
}

/** Sets by GraphQL, and answers the settings, or the faults. */
async function setByGraphql(input: object): Promise<unknown> {
  const { data, errors } = await on.graphql<{ updateOtpSettings: unknown }>(
    `mutation ($input: UpdateOtpSettingsInput!) {
      updateOtpSettings(input: $input) {
        cooldownSeconds sendsPerHour sendsPerDay sendsPerAddress wrongCodesPerDay wrongCodesPerAddress wrongCodesPerAccount countries fraudMode smartEncoding
      }
    }`,
    { token: OPERATOR_TOKEN, variables: { input } },
  );
  return data?.updateOtpSettings ?? errors?.flatMap<unknown>(error => error.extensions.errors ?? error.extensions.code);
}

const countriesFault = (message: string) => [{ field: 'countries', message: expect.stringContaining(message) }];

describe('the settings of an account', () => {
  test('are the defaults where nothing was set', async () => {
    const { accountId } = await on.customer();
    expect((await grantOf(accountId)).otp).toEqual(OTP_SETTINGS_DEFAULT);
  });

  test('change where they are given, and stay where they are not', async () => {
    const { accountId } = await on.customer();
    await updateOtpSettings(operatorCtx(), { accountId, cooldownSeconds: 0, countries: ['US'] });
    const changed = await updateOtpSettings(operatorCtx(), { accountId, sendsPerDay: 3 });
    expect(changed).toEqual({
      ...OTP_SETTINGS_DEFAULT,
      accountId,
      cooldownSeconds: 0,
      sendsPerDay: 3,
      countries: ['US'],
    });
  });

  test('are in the grant of a token as they were set', async () => {
    const { accountId } = await on.customer();
    const { accountId: _, ...changed } = await updateOtpSettings(operatorCtx(), {
      accountId,
      wrongCodesPerDay: 7,
      countries: ['*'],
      fraudMode: 'block',
    });
    expect((await grantOf(accountId)).otp).toEqual(changed);
  });

  test('are the defaults again by null, and nothing of them stays stored', async () => {
    const { accountId } = await on.customer();
    await updateOtpSettings(operatorCtx(), { accountId, sendsPerHour: 1, countries: ['US'], fraudMode: 'off' });
    const nothing = { sendsPerHour: null, countries: null, fraudMode: null };
    const changed = await updateOtpSettings(operatorCtx(), { accountId, ...nothing });
    expect([changed, await storedOf(accountId)]).toEqual([{ ...OTP_SETTINGS_DEFAULT, accountId }, null]);
  });

  test('have no limit of sends by address by null, until one is set', async () => {
    const { accountId } = await on.customer();
    expect(await setByGraphql({ accountId, sendsPerAddress: null })).toMatchObject({ sendsPerAddress: null });
    await setByGraphql({ accountId, sendsPerHour: 2 });
    expect((await grantOf(accountId)).otp).toEqual({ ...OTP_SETTINGS_DEFAULT, sendsPerAddress: null, sendsPerHour: 2 });
    expect(await setByGraphql({ accountId, sendsPerAddress: 20 })).toMatchObject({ sendsPerAddress: 20 });
    const told = await on.sql(
      `select details->'sendsPerAddress' as told from audit_entries where subject = $1 and details ? 'sendsPerAddress' order by id`,
      [accountId],
    );
    expect(told).toEqual([{ told: { from: null, to: 'none' } }, { told: { from: 'none', to: 20 } }]);
  });

  test('that are changed at once all hold', async () => {
    const { accountId } = await on.customer();
    const changes: Omit<Parameters<typeof updateOtpSettings>[1], 'accountId'>[] = [
      { cooldownSeconds: 1 },
      { sendsPerHour: 2 },
      { sendsPerDay: 3 },
      { sendsPerAddress: 7 },
      { wrongCodesPerDay: 4 },
      { wrongCodesPerAddress: 5 },
      { wrongCodesPerAccount: 6 },
      { fraudMode: 'off' },
      { smartEncoding: false },
    ];
    await Promise.all(changes.map(change => updateOtpSettings(operatorCtx(), { accountId, ...change })));
    expect((await grantOf(accountId)).otp).toEqual(Object.assign({ ...OTP_SETTINGS_DEFAULT }, ...changes));
  });

  test('that are changed twice in one operation both hold', async () => {
    const { accountId } = await on.customer();
    const { errors } = await on.graphql(
      `mutation ($id: String!) {
        a: updateOtpSettings(input: { accountId: $id, sendsPerHour: 2 }) { id }
        b: updateOtpSettings(input: { accountId: $id, sendsPerDay: 3 }) { id }
      }`,
      { token: OPERATOR_TOKEN, variables: { id: accountId } },
    );
    expect([errors, (await grantOf(accountId)).otp]).toEqual([
      null,
      { ...OTP_SETTINGS_DEFAULT, sendsPerHour: 2, sendsPerDay: 3 },
    ]);
  });

  test('that were changed since the request read them hold too', async () => {
    const { accountId } = await on.customer();
    const ctx = operatorCtx();
    await otpSettings(ctx, accountId);
    await updateOtpSettings(operatorCtx(), { accountId, sendsPerHour: 2 });
    expect(await updateOtpSettings(ctx, { accountId, sendsPerDay: 3 })).toMatchObject({
      sendsPerHour: 2,
      sendsPerDay: 3,
    });
  });

  test('that change are told to every process', async () => {
    const { accountId } = await on.customer();
    const told = Promise.withResolvers<void>();
    const end = await on.app.services.database.listen(
      ACCOUNT_CHANNEL,
      () => told.resolve(),
      () => undefined,
    );
    await updateOtpSettings(operatorCtx(), { accountId, sendsPerHour: 1 });
    await told.promise;
    await end();
  });

  test('are not found of an account that does not exist', async () => {
    const accountId = newId('acc');
    await expect(updateOtpSettings(operatorCtx(), { accountId })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the fraud mode block', () => {
  const CHOOSE = [{ field: 'countries', message: expect.stringMatching(/^choose the countries .*\["\*"\]/) }];

  test('is refused where no countries are chosen, and nothing changes', async () => {
    const { accountId } = await on.customer();
    const refused = await setByGraphql({ accountId, sendsPerHour: 1, fraudMode: 'BLOCK' });
    expect([refused, await storedOf(accountId)]).toEqual([CHOOSE, null]);
  });

  test.each([[['US']], [['*']]])('is taken with the countries %j', async countries => {
    const { accountId } = await on.customer();
    expect(await setByGraphql({ accountId, countries, fraudMode: 'BLOCK' })).toMatchObject({
      countries,
      fraudMode: 'BLOCK',
    });
  });

  test('is taken where the countries were chosen before', async () => {
    const { accountId } = await on.customer();
    await setByGraphql({ accountId, countries: ['US'] });
    expect(await setByGraphql({ accountId, fraudMode: 'BLOCK' })).toMatchObject({
      countries: ['US'],
      fraudMode: 'BLOCK',
    });
  });

  test('keeps the countries from being chosen no more', async () => {
    const { accountId } = await on.customer();
    await setByGraphql({ accountId, countries: ['US'], fraudMode: 'BLOCK' });
    expect(await setByGraphql({ accountId, countries: null })).toEqual(CHOOSE);
  });
});

describe('the input', () => {
  test.each([
    ['cooldownSeconds', 0, 3_600],
    ['sendsPerHour', 1, 100],
    ['sendsPerDay', 1, 100],
    ['sendsPerAddress', 1, 1_000],
    ['wrongCodesPerDay', 1, 1_000],
    ['wrongCodesPerAddress', 1, 1_000],
    ['wrongCodesPerAccount', 1, 1_000],
  ])('takes %s from %i to %i and nothing beyond', async (field, min, max) => {
    const { accountId } = customer;
    const answers = [];
    for (const value of [min - 1, min, max, max + 1]) answers.push(await setByGraphql({ accountId, [field]: value }));
    expect(answers).toEqual([
      [{ field, message: `must be at least ${min}` }],
      expect.objectContaining({ [field]: min }),
      expect.objectContaining({ [field]: max }),
      [{ field, message: `must be at most ${max}` }],
    ]);
  });

  test('takes countries in any case, and each once', async () => {
    const { accountId } = await on.customer();
    const countries = ['us', 'DE', 'US', 'de'];
    expect(await setByGraphql({ accountId, countries })).toMatchObject({ countries: ['US', 'DE'] });
  });

  test.each([
    ['no country at all', [], countriesFault('must name at least one country')],
    ['every country beside one', ['*', 'US'], countriesFault('must be * alone')],
    ['too many', Array.from({ length: 301 }, () => 'US'), countriesFault('must name at most 300')],
    ['a code of nobody', ['US', 'ZZ'], [{ field: 'countries.1', message: expect.stringContaining('like US') }]],
    ['a name', ['Germany'], [{ field: 'countries.0', message: expect.stringContaining('like US') }]],
    [
      'a letter that is two in upper case',
      ['ß'],
      [{ field: 'countries.0', message: expect.stringContaining('like US') }],
    ],
    ['an empty code', [''], [{ field: 'countries.0', message: expect.stringContaining('like US') }]],
  ])('refuses as countries %s', async (_what, countries, faults) => {
    expect(await setByGraphql({ accountId: customer.accountId, countries })).toEqual(faults);
  });
});

describe('the settings that are read', () => {
  const QUERY = 'query ($id: String) { otpSettings(accountId: $id) { accountId sendsPerHour } }';

  test.each(['unified', 'management'] as const)('are its own for a token of the area %s, named or not', async area => {
    const { accountId, tokens } = await on.customer();
    await updateOtpSettings(operatorCtx(), { accountId, sendsPerHour: 2 });
    const answers = [];
    for (const id of [null, accountId]) {
      answers.push((await on.graphql(QUERY, { token: tokens[area], variables: { id } })).data);
    }
    const own = { otpSettings: { accountId, sendsPerHour: 2 } };
    expect(answers).toEqual([own, own]);
  });

  test("are not another account's for a token", async () => {
    const { accountId } = await on.customer();
    const { errors } = await on.graphql(QUERY, { token: customer.tokens.management, variables: { id: accountId } });
    expect(errors?.map(error => error.extensions.code)).toEqual(['NOT_FOUND']);
  });

  test('are those of any account for the operator', async () => {
    const { accountId } = await on.customer();
    expect(await otpSettings(operatorCtx(), accountId)).toEqual({ ...OTP_SETTINGS_DEFAULT, accountId });
  });

  test('are those of the account that an operator acts for, where none is named', async () => {
    const { accountId, operator } = await on.customer();
    expect(await otpSettings(on.app.makeCtx(operator, 'test'), null)).toMatchObject({ accountId });
  });
});

test('the rate limit of an account is in the grant of a token', async () => {
  const [limited, free] = [await on.customer({ rateLimit: 7 }), await on.customer({ rateLimit: null })];
  expect([limited.grant.rateLimit, free.grant.rateLimit]).toEqual([7, null]);
});

describe('the template of a cloud number', () => {
  const TEMPLATE = { name: 'otp_code', language: 'en_US' };

  async function templatesOf(accountId: string) {
    const { senders } = await grantOf(accountId);
    return Object.fromEntries(senders.map(sender => [sender.channel, sender.otpTemplate]));
  }

  test('is none where none was set', async () => {
    const { accountId } = await on.customer();
    expect(await templatesOf(accountId)).toEqual({ sms: null, chat_qr: null, chat_cloud: null });
  });

  test('is in the grant of a token as it was set', async () => {
    const { accountId } = await on.customer();
    await setOtpTemplate(operatorCtx(), { accountId, address: `+${CLOUD_NUMBER}`, ...TEMPLATE });
    expect(await templatesOf(accountId)).toEqual({ sms: null, chat_qr: null, chat_cloud: TEMPLATE });
  });

  test('is shown by GraphQL', async () => {
    const { accountId, tokens } = await on.customer();
    await setOtpTemplate(operatorCtx(), { accountId, address: CLOUD_NUMBER, ...TEMPLATE });
    const { data } = await on.graphql('{ senders { channel otpTemplate { name language } } }', {
      token: tokens.management,
    });
    expect(data).toMatchObject({ senders: expect.arrayContaining([{ channel: 'CHAT_CLOUD', otpTemplate: TEMPLATE }]) });
  });

  test('is taken away by a null for its name', async () => {
    const { accountId } = await on.customer();
    await setOtpTemplate(operatorCtx(), { accountId, address: CLOUD_NUMBER, ...TEMPLATE });
    await setOtpTemplate(operatorCtx(), { accountId, address: CLOUD_NUMBER, name: null });
    expect(await templatesOf(accountId)).toMatchObject({ chat_cloud: null });
  });

  test.each([
    ['without a name', { language: 'en_US' }, 'name', 'is required; null takes the template away'],
    ['without a language', { name: 'otp_code' }, 'language', 'is required with a name, like en_US'],
    ['with an empty name', { ...TEMPLATE, name: '' }, 'name', 'must not be empty'],
    ['of no number', { ...TEMPLATE, address: 'ACME' }, 'address', 'must be a phone number with country code'],
  ])('is refused %s', async (_what, given, field, message) => {
    const { errors } = await on.graphql(
      'mutation ($input: SetOtpTemplateInput!) { setOtpTemplate(input: $input) { id } }',
      {
        token: OPERATOR_TOKEN,
        variables: { input: { accountId: customer.accountId, address: CLOUD_NUMBER, ...given } },
      },
    );
    expect(errors?.map(error => error.extensions.errors)).toEqual([[{ field, message }]]);
  });

  test.each([
    ['a number of another channel', '15550000001'],
    ['a number that the account does not have', '15550000009'],
  ])('is not found of %s', async (_what, address) => {
    const input = { accountId: customer.accountId, address, ...TEMPLATE };
    await expect(setOtpTemplate(operatorCtx(), input)).rejects.toMatchObject({ code: 'not_found' });
  });
});
