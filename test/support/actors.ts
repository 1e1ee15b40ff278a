import { toUuid } from '../../src/kernel/ids.ts';
import type { Customer, TestApp } from './app.ts';
import { OPERATOR_TOKEN } from './app.ts';

/** Every caller that the area matrix knows. */
export const CALLERS = [
  'nobody',
  'revoked token',
  'expired token',
  'unified',
  'sms',
  'otp',
  'management',
  'operator',
  'operator for the account',
] as const;

/** One of them. */
export type Caller = (typeof CALLERS)[number];

/** Tokens of an account that opened something, and do so no longer. */
export interface DeadTokens {
  readonly revoked: string;
  readonly expired: string;
}

/** The headers by which a caller is known. */
export function credentialsOf(caller: Caller, customer: Customer, dead: DeadTokens): Record<string, string> {
  if (caller === 'nobody') return {};
  if (caller === 'revoked token') return { authorization: `Bearer ${dead.revoked}` };
  if (caller === 'expired token') return { authorization: `Bearer ${dead.expired}` };
  if (caller === 'operator') return { authorization: `Bearer ${OPERATOR_TOKEN}` };
  if (caller === 'operator for the account')
    return { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-account-id': customer.accountId };
  return { authorization: `Bearer ${customer.tokens[caller]}` };
}

/** A token of the account that the operator revoked, and one whose time is over, after they had been used. */
export async function deadTokens(on: TestApp, customer: Customer): Promise<DeadTokens> {
  const [revoked, expired] = [await usedToken(on, customer), await usedToken(on, customer)];
  await on.graphql('mutation ($id: String!) { revokeToken(tokenId: $id) { tokenId } }', {
    token: OPERATOR_TOKEN,
    variables: { id: revoked.tokenId },
  });
  await on.sql("update tokens set expires_at = now() - interval '1 second' where id = $1", [toUuid(expired.tokenId)]);
  on.app.authenticator.forget();
  return { revoked: revoked.secret, expired: expired.secret };
}

async function usedToken(on: TestApp, customer: Customer): Promise<{ secret: string; tokenId: string }> {
  const made = await on.graphql<{ createToken: { secret: string; token: { tokenId: string } } }>(
    'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret token { tokenId } } }',
    { token: OPERATOR_TOKEN, variables: { input: { accountId: customer.accountId, area: 'UNIFIED' } } },
  );
  if (!made.data) throw new Error('no token was made');
  const { secret, token } = made.data.createToken;
  const used = await on.graphql('{ account { id } }', { token: secret });
  if (used.errors) throw new Error('the token did not work before it was revoked');
  return { secret, tokenId: token.tokenId };
}
