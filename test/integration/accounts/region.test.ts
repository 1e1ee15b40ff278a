import { beforeEach, describe, expect, test } from 'vitest';
import { type Customer, OPERATOR_TOKEN } from '../../support/app.ts';
import { setUpApp } from '../../support/fixtures.ts';

const on = setUpApp();
let customer: Customer;

beforeEach(async () => {
  customer = await on.customer();
});

const UPDATE = 'mutation ($input: UpdateRegionInput!) { updateRegion(input: $input) { timeZone country } }';

const update = (input: object) => on.graphql(UPDATE, { token: customer.tokens.management, variables: { input } });

const region = async () => (await on.graphql('{ account { timeZone country } }', { token: customer.tokens.sms })).data;

describe('the region of an account', () => {
  test('is UTC and no country at first', async () => {
    expect(await region()).toEqual({ account: { timeZone: 'UTC', country: null } });
  });

  test('is set, and what is absent stays', async () => {
    await update({ timeZone: 'Europe/Berlin' });
    await update({ country: 'de' });
    expect(await region()).toEqual({ account: { timeZone: 'Europe/Berlin', country: 'DE' } });
  });

  test('is taken back by null', async () => {
    await update({ timeZone: 'Europe/Berlin', country: 'DE' });
    await update({ timeZone: null, country: null });
    expect(await region()).toEqual({ account: { timeZone: 'UTC', country: null } });
  });

  test.each([
    ['timeZone', 'Europe/Atlantis'],
    ['timeZone', '+01:00'],
    ['country', 'ZZ'],
    ['country', 'Germany'],
  ])('is refused with the %s %s', async (field, value) => {
    const { errors } = await update({ [field]: value });
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field }] });
  });

  test('is set by an operator who acts for the account', async () => {
    const { data } = await on.graphql(UPDATE, {
      token: OPERATOR_TOKEN,
      headers: { 'x-account-id': customer.accountId },
      variables: { input: { country: 'SE' } },
    });
    expect(data).toEqual({ updateRegion: { timeZone: 'UTC', country: 'SE' } });
  });
});
