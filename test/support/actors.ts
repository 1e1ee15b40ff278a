import type { Customer, TestApp } from './app.ts';
import { OPERATOR_TOKEN } from './app.ts';

/** Who may call: everyone that the area matrix knows. */
export const CALLERS = [
  'nobody',
  'revoked token',
  'unified',
  'sms',
  'otp',
  'management',
  'operator',
  'operator for the account',
] as const;

/** One of them. */
export type Caller = (typeof CALLERS)[number];

/** The headers by which a caller is known. `revoked` is a token that was revoked. */
export function credentialsOf(caller: Caller, customer: Customer, revoked: string): Record<string, string> {
  if (caller === 'nobody') return {};
  if (caller === 'revoked token') return { authorization: `Bearer ${revoked}` };
  if (caller === 'operator') return { authorization: `Bearer ${OPERATOR_TOKEN}` };
  if (caller === 'operator for the account')
    return { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-account-id': customer.accountId };
  return { authorization: `Bearer ${customer.tokens[caller]}` };
}

/** A token of the account that was revoked by the operator, after it had been used. */
export async function revokedToken(on: TestApp, customer: Customer): Promise<string> {
  const made = await on.graphql<{ createToken: { secret: string; token: { tokenId: string } } }>(
    'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret token { tokenId } } }',
    { token: OPERATOR_TOKEN, variables: { input: { accountId: customer.accountId, area: 'UNIFIED' } } },
  );
  if (!made.data) throw new Error('no token was made');
  const { secret, token } = made.data.createToken;
  const used = await on.graphql('{ account { id } }', { token: secret });
  if (used.errors) throw new Error('the token did not work before it was revoked');
  await on.graphql('mutation ($id: String!) { revokeToken(tokenId: $id) { tokenId } }', {
    token: OPERATOR_TOKEN,
    variables: { id: token.tokenId },
  });
  on.app.authenticator.forget();
  return secret;
}
