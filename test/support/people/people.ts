/** People who sign in: made in the database, and signed in as a page of the gateway does it. */
import { hashPassword, hashToken } from '../../../src/kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../src/kernel/ids.ts';
import type { Role } from '../../../src/kernel/role.ts';
import { DashboardUser } from '../../../src/modules/accounts/people/dashboard-user.entity.ts';
import { START_SESSION } from '../../../src/modules/accounts/sign-in/session.sql.ts';
import { newSessionToken } from '../../../src/modules/accounts/sign-in/session-cookie.ts';
import type { GraphqlAnswer, TestApp } from '../app.ts';

/** The headers that a page of the gateway sends with its requests. */
export const OWN_PAGE = { 'sec-fetch-site': 'same-origin', origin: 'http://gateway.test', host: 'gateway.test' };

/** A person who may sign in. */
export interface Person {
  readonly userId: string;
  readonly email: string;
  readonly password: string;
}

/** Adds a person to an account. */
export async function addPerson(on: TestApp, accountId: string, role: Role = 'owner'): Promise<Person> {
  const userId = newId('usr');
  const [email, password] = [`${userId}@people.example`, `the password of ${userId}`];
  const em = on.app.services.database.fork();
  const passwordHash = await hashPassword(password);
  em.create(DashboardUser, { id: userId, accountId, email, role, passwordHash, createdAt: new Date() });
  await em.flush();
  return { userId, email, password };
}

/** Tries to sign in from an address of this network, so that the tests of a file do not lock one another out. */
export function trySignIn(
  on: TestApp,
  { email, password }: Pick<Person, 'email' | 'password'>,
  headers: Record<string, string> = {},
): Promise<GraphqlAnswer<{ signIn: { session: { sessionId: string } } }>> {
  return on.graphql(
    'mutation ($input: SignInInput!) { signIn(input: $input) { kind role user { email } account { accountId } session { sessionId } } }',
    { variables: { input: { email, password } }, headers: { ...OWN_PAGE, ...headers } },
  );
}

/** The headers of a page in which somebody is signed in; the cookie is that of the answer. */
export function signedInBy({ headers }: { readonly headers: Headers }): Record<string, string> {
  const cookie = headers.get('set-cookie')?.split(';')[0];
  if (!cookie) throw new Error('the answer sets no cookie');
  return { ...OWN_PAGE, cookie };
}

/** Signs in, and answers the headers of the page from then on. @throws Error where the sign-in is refused */
export async function signIn(on: TestApp, person: Person): Promise<Record<string, string>> {
  const answer = await trySignIn(on, person);
  if (answer.errors) throw new Error(JSON.stringify(answer.errors));
  return signedInBy(answer);
}

/** The headers of a page in which a person is signed in, without a sign-in: nothing is hashed. */
export async function openPage(on: TestApp, { userId }: Pick<Person, 'userId'>): Promise<Record<string, string>> {
  const token = newSessionToken();
  await START_SESSION.run(on.app.services.database.sql(), {
    id: toUuid(newId('ses')),
    hash: hashToken(token).toString('hex'),
    user: toUuid(userId),
    operatorHash: null,
    address: '127.0.0.1',
    agent: null,
  });
  return { ...OWN_PAGE, cookie: `heliograph_session=${token}` };
}

/** The headers of a page in which somebody signed in before and is signed in no more: the device is known. */
export function knownBy({ headers }: { readonly headers: Headers }): Record<string, string> {
  const cookie = headers.getSetCookie().find(text => /^(__Host-)?heliograph_device=/.test(text));
  if (!cookie) throw new Error('the answer makes no device known');
  return { ...OWN_PAGE, cookie: cookie.split(';')[0] ?? '' };
}
