/** People of an account in windows of their own. */
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { ask, type DemoGateway, operatorTokenOf } from '../processes/gateway.ts';
import { signedIn } from './signed-in.ts';

/** The role of a person, as the schema names it. */
export type RoleName = 'OWNER' | 'DEVELOPER' | 'SUPPORT' | 'VIEWER';

/** Invites somebody to the demo account, or to another one, and answers the link, which nobody has followed yet. */
export async function invite(
  gateway: DemoGateway,
  role: RoleName,
  accountId = gateway.demo.accountId,
): Promise<{ email: string; link: string }> {
  const email = `${crypto.randomUUID().slice(0, 8)}@people.example`;
  const { inviteUser } = await ask<{ inviteUser: { link: string } }>(
    gateway,
    await operatorTokenOf(gateway),
    'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { link } }',
    { input: { email, role, accountId } },
  );
  return { email, link: inviteUser.link };
}

/** Makes somebody new of the demo account, or of another one, and answers how that person signs in. */
export async function makePerson(
  role: RoleName,
  gateway: DemoGateway,
  accountId?: string,
): Promise<DemoGateway['demo']['dashboard']> {
  const { email, link } = await invite(gateway, role, accountId);
  const password = `the password of ${email}`;
  const response = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { origin: gateway.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
    body: JSON.stringify({
      query: 'mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { role } }',
      variables: { input: { token: new URL(link).hash.slice(1), password } },
    }),
  });
  const { errors } = (await response.json()) as { errors?: unknown[] };
  if (errors) throw new Error(`the invitation was refused: ${JSON.stringify(errors)}`);
  return { email, password };
}

/** A window in which somebody new of the demo account is signed in. */
export async function signedInAs(
  role: RoleName,
  browser: Browser,
  gateway: DemoGateway,
  complain: (complaint: string) => void,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const dashboard = await makePerson(role, gateway);
  const { url, demo } = gateway;
  return await signedIn(browser, { url, demo: { ...demo, dashboard } }, complain, options);
}

/** A window in which the operator is signed in, who has chosen no account yet. */
export async function signedInAsOperator(
  browser: Browser,
  gateway: DemoGateway,
  complain: (complaint: string) => void,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> {
  const operator = await operatorTokenOf(gateway);
  return await signedIn(browser, gateway, complain, options, {
    query: 'mutation ($input: SignInAsOperatorInput!) { signInAsOperator(input: $input) { kind } }',
    variables: { input: { token: operator } },
  });
}

/** From the next load on, the operator who is signed in there looks at an account, but on pages at `#choose`. */
export async function lookAt(accountId: string, context: BrowserContext): Promise<void> {
  // Before a page there is an empty one, which may keep nothing.
  await context.addInitScript(account => {
    const isPage = location.pathname.startsWith('/dashboard') && location.hash !== '#choose';
    if (isPage) sessionStorage.setItem('heliograph:account', account);
  }, accountId);
}
