/** A window of a browser in which somebody is signed in. */
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import type { DemoGateway } from '../processes/gateway.ts';

/** A mutation that signs somebody in. */
interface SignIn {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Signs the user of the demo account in, or whom `how` says, without the page for it. Faults on a page are told to `complain`. */
export async function signedIn(
  browser: Browser,
  { url, demo }: Pick<DemoGateway, 'url' | 'demo'>,
  complain: (complaint: string) => void,
  options: BrowserContextOptions = {},
  how: SignIn = asPerson(demo.dashboard),
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: `${url}/dashboard/`,
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  // As by plain HTTP from another machine, where people start.
  await context.addInitScript(() => Reflect.deleteProperty(Crypto.prototype, 'randomUUID'));
  context.on('page', page => {
    page.on('pageerror', error => complain(error.message));
    page.on('console', message => {
      if (message.type() === 'error') complain(message.text());
    });
  });
  await signIn(context, url, how);
  return context;
}

/** Signs a person in. */
export function asPerson(input: DemoGateway['demo']['dashboard']): SignIn {
  return { query: 'mutation ($input: SignInInput!) { signIn(input: $input) { kind } }', variables: { input } };
}

/** Signs somebody in, in a window where another one may be signed in. */
export async function signIn(context: BrowserContext, url: string, how: SignIn): Promise<void> {
  const answer = await context.request.post(`${url}/graphql`, { headers: { origin: url }, data: how });
  const { errors } = await answer.json();
  if (errors) throw new Error(`signing in was refused: ${JSON.stringify(errors)}`);
}
