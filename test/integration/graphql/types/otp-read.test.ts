import { describe, expect, test } from 'vitest';
import { sendOtp } from '../../../../src/modules/otp/send/send-otp.ts';
import { setUpApp, setUpOwnCustomer } from '../../../support/fixtures.ts';
import { newPinId } from '../../../support/otp/rows.ts';
import { expectProblem } from '../../../support/problems.ts';

const on = setUpApp();
const customer = setUpOwnCustomer(on);

/** Sends an OTP by SMS and answers its pinId. */
async function send(to: string, area: 'unified' | 'otp' = 'unified'): Promise<string> {
  const { id } = await sendOtp(on.app.makeCtx(customer.actor(area), 'test'), { to, channels: ['sms'] });
  return id;
}

describe('otp', () => {
  test('is answered with its attempts, and without its code', async () => {
    const pinId = await send('+12025550100');
    const { data, errors } = await on.graphql(
      'query ($pinId: String!) { otp(pinId: $pinId) { __typename pinId recipient status channel attempts { channel status } } }',
      { token: customer.tokens.management, variables: { pinId } },
    );
    expect(errors).toBeNull();
    expect(data).toEqual({
      otp: {
        __typename: 'Otp',
        pinId,
        recipient: '12025550100',
        status: 'SENT',
        channel: 'SMS',
        attempts: [{ channel: 'SMS', status: 'SENT' }],
      },
    });
  });

  test.each([
    ['missing', () => newPinId()],
    ['malformed', () => '1'],
  ])('is null for a pinId that is %s', async (_name, pinId) => {
    const { data, errors } = await on.graphql('query ($pinId: String!) { otp(pinId: $pinId) { pinId } }', {
      token: customer.tokens.unified,
      variables: { pinId: pinId() },
    });
    expect([data, errors]).toEqual([{ otp: null }, null]);
  });
});

describe('otps', () => {
  interface Page {
    readonly otps: {
      readonly edges: readonly { readonly cursor: string; readonly node: { readonly pinId: string } }[];
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    };
  }
  const PAGE = `query ($first: Int, $after: String, $filter: OtpFilter) {
    otps(first: $first, after: $after, filter: $filter) {
      edges { cursor node { pinId attempts { channel } } } pageInfo { hasNextPage endCursor }
    }
  }`;

  test('are newest first, page after page, by the cursor of any row', async () => {
    const sent: string[] = [];
    for (let last = 200; last < 205; last++) sent.unshift(await send(`+12025550${last}`));
    const token = customer.tokens.unified;
    const { data } = await on.graphql<Page>(PAGE, { token, variables: { first: 3 } });
    const edges = data?.otps.edges ?? [];
    expect(edges.map(edge => edge.node.pinId)).toEqual(sent.slice(0, 3));
    expect(data?.otps.pageInfo).toEqual({ hasNextPage: true, endCursor: edges[2]?.cursor });
    const rest = await on.graphql<Page>(PAGE, { token, variables: { after: edges[1]?.cursor } });
    expect(rest.data?.otps.edges.map(edge => edge.node.pinId)).toEqual(sent.slice(2));
  });

  test('are narrowed by a filter in the words of the schema', async () => {
    await send('+12025550100');
    const failed = await send('+12025550101');
    const { data } = await on.graphql<Page>(PAGE, {
      token: customer.tokens.unified,
      variables: { filter: { status: 'FAILED', recipient: '+1 202 555 0101', from: new Date(0).toISOString() } },
    });
    expect(data?.otps.edges.map(edge => edge.node.pinId)).toEqual([failed]);
  });

  test('of a token of the area otp are its own', async () => {
    await send('+12025550100');
    const own = await send('+12025550100', 'otp');
    const { data } = await on.graphql<Page>(PAGE, { token: customer.tokens.otp });
    expect(data?.otps.edges.map(edge => edge.node.pinId)).toEqual([own]);
  });
});

describe('otpSummary', () => {
  test('is by day, channel and country unless told', async () => {
    await send('+12025550100');
    const { data, errors } = await on.graphql('{ otpSummary { day channel country sent failed conversionRate } }', {
      token: customer.tokens.unified,
    });
    expect(errors).toBeNull();
    expect(data).toEqual({
      otpSummary: [
        {
          day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          channel: 'SMS',
          country: 'US',
          sent: 1,
          failed: 0,
          conversionRate: 0,
        },
      ],
    });
  });

  test('is one row for `by: []`', async () => {
    await send('+12025550100');
    await send('+12025550101');
    const { data } = await on.graphql('{ otpSummary(by: []) { day channel country sent failed } }', {
      token: customer.tokens.unified,
    });
    expect(data).toEqual({ otpSummary: [{ day: null, channel: null, country: null, sent: 1, failed: 1 }] });
  });

  test('refuses a time of more than 92 days, naming the field', async () => {
    const answer = await on.graphql('{ otpSummary(from: "2020-01-01T00:00:00Z") { sent } }', {
      token: customer.tokens.unified,
    });
    expectProblem(answer, 200, 'invalid_input', 'from');
  });
});
