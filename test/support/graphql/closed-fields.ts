/** A field of the management area, and who is let in before its input is looked at. */
import { expect, test } from 'vitest';
import { type Customer, OPERATOR_TOKEN, type TestApp } from '../app.ts';

/**
 * Tests that a call whose input is wrong, or names nothing, hears so only where the caller is let in. `code` is what that one hears;
 * undefined: of nothing.
 */
export function testWhoIsLetIn(
  on: TestApp,
  customer: Customer,
  query: string,
  [variables, code]: readonly [variables: Record<string, unknown>, code: string | undefined],
): void {
  /** The codes that the callers of an account hear: its tokens, and an operator who acts for it. */
  async function heard({ tokens, accountId }: Customer): Promise<Record<string, unknown>> {
    const operator = { token: OPERATOR_TOKEN, headers: { 'x-account-id': accountId } };
    const callers = { management: { token: tokens.management }, unified: { token: tokens.unified }, operator };
    const codes: Record<string, unknown> = {};
    for (const [caller, credentials] of Object.entries(callers)) {
      const { errors } = await on.graphql(query, { ...credentials, variables });
      codes[caller] = errors?.map(error => error.extensions.code).join();
    }
    return codes;
  }

  test('looks at the input of those who are let in only', async () => {
    expect(await heard(customer)).toEqual({ management: code, unified: 'WRONG_AREA', operator: code });
  });

  test.each([
    [{ unifiedApi: false }, 'UNIFIED_API_DISABLED'],
    [{ planExpiresAt: new Date(Date.now() - 1_000) }, 'PLAN_EXPIRED'],
  ])('of an account with %j is closed, before its input is looked at', async (seed, closed) => {
    expect(await heard(await on.customer(seed))).toEqual({
      management: closed,
      unified: 'WRONG_AREA',
      operator: closed,
    });
  });
}
