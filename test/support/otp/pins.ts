/** Pins made straight in the database, for tests of what is guessed about them: a thousand of them cost one statement. */
import type { KeyRing } from '../../../src/kernel/crypto/key-ring.ts';
import type { Area } from '../../../src/kernel/crypto/secrets.ts';
import { newUuid, toUuid } from '../../../src/kernel/ids.ts';
import { codeOf, newPin } from '../../../src/modules/otp/send/code.ts';
import { TEST_KEYS } from '../services.ts';

/** Runs one statement, as `TestServices.sql` and `TestApp.sql` do. */
export type RunSql = <Row>(text: string, parameters?: readonly unknown[]) => Promise<Row[]>;

/** A pin that is to be made. Unless told it is live, sent by SMS, and has five attempts and 300 s to go. */
export interface PinSeed {
  readonly accountId: string;
  readonly area?: Area;
  /** Digits; a number of its own unless told. */
  readonly recipient?: string;
  readonly length?: number;
  readonly expiresInSeconds?: number;
}

/** A pin with the code that its recipient would have. */
export interface MadePin {
  readonly pinId: string;
  readonly recipient: string;
  readonly code: string;
}

/** The stored state of a pin, and its guesses in the log. */
export interface StoredPin {
  readonly status: string;
  readonly attempts: number;
  /** Entries of the log, by type. */
  readonly log: Readonly<Record<string, number>>;
}

let last = 0;

/** A recipient that nobody else of this process has: a possible number, not one of the sandbox's nine. Digits only. */
export function newRecipient(): string {
  last += 1;
  return `1${212 + Math.floor(last / 10_000)}555${String(last % 10_000).padStart(4, '0')}`;
}

/** The same as a caller writes it. */
export const newPhone = (): string => `+${newRecipient()}`;

/** Makes pins past the verbs, with the code of each. */
export async function makePins(
  sql: RunSql,
  seeds: readonly PinSeed[],
  keys: KeyRing = TEST_KEYS,
): Promise<readonly MadePin[]> {
  const made = seeds.map(seed => {
    const { area = 'unified', recipient = newRecipient(), length = 6, expiresInSeconds = 300 } = seed;
    const pin = newPin(keys, length);
    const { id: pinId, nonce, keyId, codeMac } = pin;
    const code = codeOf(keys, pin) ?? '';
    const row = {
      id: toUuid(pinId),
      position: newUuid(),
      account_id: toUuid(seed.accountId),
      area,
      recipient,
      country: 'US',
      length,
      expires_in: expiresInSeconds,
      nonce,
      key_id: keyId,
      code_mac: codeMac,
    };
    return { pin: { pinId, recipient, code }, row };
  });
  await sql(
    `insert into otps (id, position, account_id, area, recipient, country, channels, delivery_mode, sender, length, expires_in, template,
       nonce, key_id, code_mac, status, channel, segments, attempts_max, resend_available_at, expires_at, created_at)
     select id, position, account_id, area, recipient, country, '{sms}', 'fallback', 'ACME', length, expires_in, '{{code}}',
       nonce, key_id, code_mac, 'sent', 'sms', 1, 5, now(), now() + make_interval(secs => expires_in), now()
     from json_populate_recordset(null::otps, $1::json)`,
    [JSON.stringify(made.map(({ row }) => row))],
  );
  await sql(
    `insert into otp_recipients (account_id, recipient, sends, wrongs, cooldowns, updated_at)
     select distinct account_id, recipient, '{}'::timestamptz[], '{}'::timestamptz[], '{}'::jsonb, now()
     from json_populate_recordset(null::otps, $1::json) on conflict do nothing`,
    [JSON.stringify(made.map(({ row }) => row))],
  );
  return made.map(({ pin }) => pin);
}

/** Makes one pin. */
export async function makePin(sql: RunSql, seed: PinSeed, keys: KeyRing = TEST_KEYS): Promise<MadePin> {
  const [pin] = await makePins(sql, [seed], keys);
  if (!pin) throw new Error('no pin was made');
  return pin;
}

/** A code that is not the right one; another one for each number below 9,999. */
export function wrongCode({ code }: Pick<MadePin, 'code'>, number = 0): string {
  const all = 10 ** code.length;
  return String((Number(code) + 1 + number) % all).padStart(code.length, '0');
}

/** Reads the stored state of a pin. */
export async function storedPin(sql: RunSql, pinId: string): Promise<StoredPin> {
  const [row] = await sql<StoredPin>(
    `select status, attempts,
       (select coalesce(jsonb_object_agg(type, n), '{}')
        from (select type, count(*)::int as n from attempts where pin_id = $1 group by type) l) as log
     from otps where id = $1`,
    [toUuid(pinId)],
  );
  if (!row) throw new Error('there is no such pin');
  return row;
}
