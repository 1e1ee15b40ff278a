import { beforeEach, describe, expect, test } from 'vitest';
import type { Customer } from '../../support/app.ts';
import { setUpApp } from '../../support/fixtures.ts';
import { SMS } from '../../support/messaging/send-cases.ts';

const on = setUpApp();
let customer: Customer;

beforeEach(async () => {
  customer = await on.customer();
});

const find = (endingWith: string, by: Customer = customer) =>
  on.graphql('query ($endingWith: String!) { recipients(endingWith: $endingWith) }', {
    token: by.tokens.unified,
    variables: { endingWith },
  });

const send = (to: string, by: Customer = customer) =>
  on.rest('POST', '/api/omni/send', { token: by.tokens.unified, body: { ...SMS, to } });

describe('the recipients with these last digits', () => {
  test('are each told once, that of the newest entry first', async () => {
    for (const to of ['+447700904711', '+12025554711', '+447700904712', '+447700904711']) await send(to);
    expect((await find('4711')).data).toEqual({ recipients: ['447700904711', '12025554711'] });
  });

  test('are those of the own account alone', async () => {
    await send('+447700904711', await on.customer());
    expect((await find('4711')).data).toEqual({ recipients: [] });
  });

  test.each(['471', '47110000', '4 711', '%711'])('are not looked for by %j', async digits => {
    const { errors } = await find(digits);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_INPUT', errors: [{ field: 'endingWith' }] });
  });
});
