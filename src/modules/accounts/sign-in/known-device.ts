/** The cookie of a browser in which a person signed in before: what strangers do does not keep it out. */
import { createHmac, randomUUID } from 'node:crypto';
import type { Ctx } from '../../../context.ts';
import type { KeyRing } from '../../../kernel/crypto/key-ring.ts';
import { secretsEqual } from '../../../kernel/crypto/secrets.ts';
import { NEW_DEVICE_UNTIL } from './session.sql.ts';
import { cookie, readCookie } from './session-cookie.ts';

const NAME = 'heliograph_device';
const PURPOSE = 'known-device';

/** How long the browser keeps it, in seconds: as long as it counts. */
const MAX_AGE_SECONDS = 180 * 86_400;

/** Key id, id of the device, its end in seconds since 1970, proof of the password, and what binds all of it to the person. */
const PATTERN = /^([0-9a-f]{8})\.([0-9a-f-]{36})\.(\d{10,11})\.([\w-]{43})\.([\w-]{43})$/;

/** A browser that shows by its cookie that this person signed in there. */
export interface KnownDevice {
  readonly id: string;
  /** When it ends, by the database's clock. */
  readonly until: Date;
  /** Whether it was made with this secret of the person, which a change of the password makes another. */
  isFor(secret: string): boolean;
}

/** The device that a person signs in by; null: the browser shows none, or one of somebody else. @param person an e-mail address, or the operator */
export function readDevice({ request, services }: Ctx, person: string): KnownDevice | null {
  const value = readCookie(services.home.publicUrl(), request.cookies, NAME);
  const [, keyId = '', id = '', until = '', proof = '', tag = ''] = PATTERN.exec(value ?? '') ?? [];
  const { keys } = services;
  const expected = tagOf(keys, keyId, `device/${id}/${until}/${proof}/${person}`);
  if (expected === null || !secretsEqual(tag, expected)) return null;
  return {
    id,
    until: new Date(Number(until) * 1_000),
    isFor: secret => secretsEqual(proof, tagOf(keys, keyId, `secret/${id}/${secret}`) ?? ''),
  };
}

/**
 * Makes the browser of this request a known one, by a cookie beside those that the answer sets already. Never fails: what its caller has
 * done is committed.
 */
export async function keepDevice({ request, services, log }: Ctx, person: string, secret: string): Promise<void> {
  const { database, keys, home } = services;
  const row = await NEW_DEVICE_UNTIL.first(database.sql(), { seconds: MAX_AGE_SECONDS }).catch((error: unknown) => {
    log.warn({ err: error }, 'the browser of a person could not be made known');
    return null;
  });
  if (!row) return;
  const [keyId, id, until] = [keys.currentId, randomUUID(), String(Math.floor(row.until))];
  const proof = tagOf(keys, keyId, `secret/${id}/${secret}`);
  const tag = tagOf(keys, keyId, `device/${id}/${until}/${proof}/${person}`);
  const value = [keyId, id, until, proof, tag].join('.');
  request.answerCookies.push(cookie(home.publicUrl(), NAME, value, MAX_AGE_SECONDS));
}

/** Null where the secret key of this id is gone. */
function tagOf(keys: KeyRing, keyId: string, text: string): string | null {
  const key = keys.derive(keyId, PURPOSE);
  return key && createHmac('sha256', key).update(text, 'utf8').digest('base64url');
}
