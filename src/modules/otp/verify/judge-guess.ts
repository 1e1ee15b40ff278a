/** The batch *verify*: one statement counts the attempt and consumes the code together (contract §5). Once committed, an attempt is counted. */

import type { OtpSettings } from '../../../context.ts';
import { type Apply, defineStatementBatch, toBatchError } from '../../../db/batch.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import type { Area } from '../../../kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../kernel/ids.ts';
import { EXEMPT_RECIPIENTS } from '../limits/exempt.policy.ts';
import type { Otp } from '../otp.entity.ts';
import { fromOtpJson } from '../otp-row.ts';
import { DECOY_ID, VERIFY, type VerdictRow } from './verify.sql.ts';

/** A guess: somebody says that this is the code of this pin. */
export interface Guess {
  readonly pinId: string;
  readonly accountId: string;
  readonly area: Area;
  /** The MAC of the guess under each key that is known, by key id. */
  readonly macs: Readonly<Record<string, string>>;
  /** The address that it came from, as the limits count it. */
  readonly address: string;
  readonly settings: OtpSettings;
}

/** What runs out of wrong codes. */
export type Budget = 'address' | 'recipient' | 'account';

/** What became of a guess. `isAlarm`: with it the account reached its budget of wrong codes, which the operator must be told once. */
export type Verdict = Finding & { readonly isAlarm: boolean };

type Finding =
  | { readonly kind: 'verified'; readonly otp: Otp }
  | { readonly kind: 'incorrect'; readonly remaining: number }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number; readonly by: Budget }
  | { readonly kind: 'blocked' | 'already_verified' | 'expired' | 'cancelled' | 'keyless' | 'not_found' };

/** Verifies a guess. A pin of another account or area is `not_found`, after the same work as any other. @throws AppError `database_unavailable`. */
export const verify = defineStatementBatch<Guess, Verdict>('verify otps', applyVerify);

async function applyVerify(sql: Sql, guesses: readonly Guess[]): ReturnType<Apply<Guess, Verdict>> {
  const rows = await look(sql, guesses);
  const verdicts: (Verdict | Error)[] = rows.map(toVerdict);
  const again = [...rows.keys()].filter(index => rows[index]?.kind === 'again');
  if (again.length === 0) return verdicts;
  // What was looked at is committed: what goes wrong now is told to those who ask again only. Each time fewer do.
  const left = again.flatMap(index => guesses[index] ?? []);
  const later = await applyVerify(sql, left).catch((error: unknown) => left.map(() => toBatchError(error)));
  for (const [place, index] of again.entries()) verdicts[index] = later[place] ?? toVerdict(undefined);
  return verdicts;
}

/** What the statement says of each guess, in order. */
async function look(sql: Sql, guesses: readonly Guess[]): Promise<(VerdictRow | undefined)[]> {
  const ids = guesses.map(() => toUuid(newId('att')));
  const rows = await VERIFY.run(sql, {
    guesses: guesses.map((guess, ord) => guessRow(guess, ord, ids[ord] ?? '')),
    exemptRecipients: EXEMPT_RECIPIENTS,
    pins: [...guesses.map(guess => toUuid(guess.pinId)), DECOY_ID],
    accounts: [...new Set(guesses.map(guess => toUuid(guess.accountId)))],
    logged: ids,
  });
  const byOrd = new Map(rows.map(row => [row.ord, row]));
  return guesses.map((_guess, ord) => byOrd.get(ord));
}

function guessRow({ pinId, accountId, area, macs, address, settings }: Guess, ord: number, logId: string) {
  return {
    ord,
    log_id: logId,
    pin: toUuid(pinId),
    account_id: toUuid(accountId),
    area,
    macs,
    address,
    per_address: settings.wrongCodesPerAddress,
    per_recipient: settings.wrongCodesPerDay,
    per_account: settings.wrongCodesPerAccount,
  };
}

/** No row: the pin was purged while the statement ran. */
function toVerdict(row: VerdictRow | undefined): Verdict {
  return { ...toFinding(row), isAlarm: row?.is_alarm ?? false };
}

function toFinding(row: VerdictRow | undefined): Finding {
  if (!row || row.kind === 'again') return { kind: 'not_found' };
  const { kind, remaining, retry_after, budget, otp } = row;
  if (kind === 'incorrect') return { kind, remaining };
  if (kind === 'limited') return { kind, retryAfterSeconds: retry_after ?? 1, by: budget };
  if (kind === 'verified') return otp ? { kind, otp: fromOtpJson(otp) } : { kind: 'already_verified' };
  return { kind };
}
