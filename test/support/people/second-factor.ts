/** The app on the phone of a person with a second factor. */
import { Secret, TOTP } from 'otpauth';
import { toUuid } from '../../../src/kernel/ids.ts';
import type { GraphqlAnswer, TestApp } from '../app.ts';
import { OWN_PAGE, type Person, trySignIn } from './people.ts';

/** The code that the app shows now. */
export function codeOf(secret: string): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate();
}

/** Turns the second factor of a person on in a page, and answers what the app and the person have. @throws Error where the second factor is refused */
export async function turnOn(
  on: TestApp,
  person: Person,
  headers: Record<string, string>,
): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  const started = await on.graphql<{ startSecondFactor: { secret: string } }>(
    'mutation ($password: String!) { startSecondFactor(input: { password: $password }) { secret } }',
    { variables: { password: person.password }, headers },
  );
  const secret = started.data?.startSecondFactor.secret ?? '';
  const confirmed = await confirm(on, headers, codeOf(secret));
  const codes = confirmed.data?.confirmSecondFactor.codes;
  if (!codes) throw new Error(JSON.stringify(started.errors ?? confirmed.errors));
  await forgetStep(on, person);
  return { secret, codes };
}

/** Gives the first code of the app. */
export function confirm(on: TestApp, headers: Record<string, string>, code: string) {
  return on.graphql<{ confirmSecondFactor: { codes: string[] } }>(
    'mutation ($code: String!) { confirmSecondFactor(input: { code: $code }) { codes } }',
    { variables: { code }, headers },
  );
}

/** Has the code that the app shows now be right once more, as if time had gone on. */
export async function forgetStep(on: TestApp, { userId }: Pick<Person, 'userId'>): Promise<void> {
  await on.sql('update dashboard_users set second_factor_step = 0 where id = $1', [toUuid(userId)]);
}

/** Gives the password, and answers the headers of the page that is to give the code. */
export async function givePassword(
  on: TestApp,
  person: Person,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const answer = await trySignIn(on, person, headers);
  const cookies = answer.headers.getSetCookie().map(text => text.split(';')[0] ?? '');
  return { ...OWN_PAGE, cookie: [...(headers.cookie ? [headers.cookie] : []), ...cookies].join('; ') };
}

/** Gives the code. */
export function giveCode(
  on: TestApp,
  headers: Record<string, string>,
  code: string,
): Promise<GraphqlAnswer<{ signInWithCode: { kind: string } }>> {
  return on.graphql(
    'mutation ($code: String!) { signInWithCode(input: { code: $code }) { kind role user { email } } }',
    {
      variables: { code },
      headers,
    },
  );
}
