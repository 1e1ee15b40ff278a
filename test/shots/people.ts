/** The windows in which the pages are looked at. */
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import type { Who } from './pictures.ts';
import type { RunningDemo } from './start-demo.ts';

const INVITE = 'mutation ($input: InviteUserInput!) { result: inviteUser(input: $input) { link } }';

/** Invites somebody into an account, and answers the path of the link. */
export async function invite(demo: RunningDemo, accountId: string): Promise<string> {
  const email = `${crypto.randomUUID().slice(0, 8)}@people.example`;
  const { link } = await demo.operate<{ link: string }>(INVITE, { email, role: 'OWNER', accountId });
  const { pathname, hash } = new URL(link);
  return pathname + hash;
}

/** Opens a window for each of them. */
export async function openWindows(
  browser: Browser,
  demo: RunningDemo,
  options: BrowserContextOptions,
): Promise<Record<Who, BrowserContext>> {
  const open = () => browser.newContext({ baseURL: demo.url, reducedMotion: 'reduce', ...options });
  const [owner, beginner, operator, nobody] = [await open(), await open(), await open(), await open()];
  await demo.signIn(owner);
  const { accountId } = await demo.operate<{ accountId: string }>(
    'mutation ($input: CreateAccountInput!) { result: createAccount(input: $input) { accountId } }',
    { name: 'Example shop' },
  );
  const token = (await invite(demo, accountId)).split('#')[1] ?? '';
  await demo.signIn(beginner, {
    query: 'mutation ($input: AcceptInvitationInput!) { acceptInvitation(input: $input) { role } }',
    variables: { input: { token, name: 'Robin', password: crypto.randomUUID() } },
  });
  await demo.signIn(operator, {
    query: 'mutation ($input: SignInAsOperatorInput!) { signInAsOperator(input: $input) { kind } }',
    variables: { input: { token: demo.operatorToken } },
  });
  return { owner, beginner, operator, nobody };
}
