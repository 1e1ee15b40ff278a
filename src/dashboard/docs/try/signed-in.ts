/** The dashboard's session in this browser: a token can be made with it, since REST takes no session. */
import { chosenAccount } from '../../tab-storage.ts';

/** The account of the session, and its right to make tokens. */
export interface SignedIn {
  readonly accountId: string;
  /** Whether the rights of the session allow to make tokens. */
  readonly mayMake: boolean;
}

/** How long a token for trying is good. */
const TOKEN_MS = 3_600_000;

async function ask<Data>(query: string, variables: object = {}): Promise<Data> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...chosenAccount() },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors }: { data?: Data | null; errors?: readonly { readonly message: string }[] } =
    await response.json();
  if (!data || errors) throw new Error(errors?.[0]?.message ?? `the gateway answered ${response.status}`);
  return data;
}

interface Viewer {
  readonly rights: readonly string[];
  readonly account: { readonly accountId: string } | null;
}

/** Asks who is signed in; null: nobody, or an operator who looks at no account. */
export async function askSignedIn(): Promise<SignedIn | null> {
  try {
    const { viewer } = await ask<{ viewer: Viewer | null }>('{ viewer { rights account { accountId } } }');
    return viewer?.account ? { accountId: viewer.account.accountId, mayMake: viewer.rights.includes('CHANGE') } : null;
  } catch {
    return null;
  }
}

/** Makes a token of an area for an hour. @throws Error that says why not */
export async function makeToken({ accountId }: SignedIn, area: string): Promise<string> {
  const expiresAt = new Date(Date.now() + TOKEN_MS).toISOString();
  const { createToken } = await ask<{ createToken: { secret: string } }>(
    'mutation ($input: CreateTokenInput!) { createToken(input: $input) { secret } }',
    { input: { accountId, area: area.toUpperCase(), expiresAt } },
  );
  return createToken.secret;
}
