/** The batch *verify*: one statement counts the attempt and consumes the code together (contract §5). Once committed, an attempt is counted. */

import { MAGIC_RECIPIENTS } from '../../../channels/sandbox/recipients.ts';
import type { OtpSettings } from '../../../context.ts';
import { type Apply, defineStatementBatch, toBatchError } from '../../../db/batch.ts';
import type { Sql } from '../../../db/statements/sql.ts';
import type { Area } from '../../../kernel/crypto/secrets.ts';
import { newId, toUuid } from '../../../kernel/ids.ts';
import type { Otp } from '../otp.entity.ts';
import { fromOtpJson } from '../otp-row.ts';
import { DECOY_ID, VERIFY, type VerdictRow } from './verify.sql.ts';
import { verifyRight } from './verify-right.sql.ts';

/** A guess: somebody says that this is the code of this pin. */
interface Guess {
  readonly pinId: string;
  readonly accountId: string;
  readonly area: Area;
  /** The MAC of the guess under each key that is known, by key id. */
  readonly macs: Readonly<Record<string, string>>;
  /** The address that it came from, as the limits count it; null: none is counted. */
  readonly address: string | null;
  readonly settings: OtpSettings;
}

/** The holder of a budget of wrong codes. */
export type Budget = 'address' | 'recipient' | 'account';

/** How many wrong codes of an account in a minute set the alarm off where it has no limit of its own. */
export const WRONG_CODES_ALARM = 60;

/** The outcome of a guess. `isAlarm`: by it the wrong codes of the account reached the limit, or the alarm, and the operator must be told once. */
export type Verdict = Finding & { readonly isAlarm: boolean };

type Finding =
  | { readonly kind: 'verified'; readonly otp: Otp }
  | { readonly kind: 'incorrect'; readonly remaining: number }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number; readonly by: Budget }
  | { readonly kind: 'blocked' | 'already_verified' | 'expired' | 'cancelled' | 'keyless' | 'not_found' };

/** Whether every code of the last group was right: only a guess about the next one, which is judged the same either way. */
const lastGroup = { isRight: false };

const applyVerify: Apply<Guess, Verdict> = async (sql, guesses, by, database) => {
  const found = lastGroup.isRight
    ? await database.prepared.transaction(inOne => lookAtRight(inOne, guesses))
    : await look(sql, guesses);
  lastGroup.isRight = found.every(verdict => verdict !== 'again' && verdict.kind === 'verified');
  const left = guesses.filter((_guess, ord) => found[ord] === 'again');
  if (left.length === 0) return found.filter(verdict => verdict !== 'again');
  // The other guesses are committed: an error from now on is told only to those who ask again. Each time fewer do.
  const asked = applyVerify(sql, left, by, database).catch((error: unknown) => left.map(() => toBatchError(error)));
  const later = [...(await asked)];
  return found.map(verdict => (verdict === 'again' ? (later.shift() ?? toVerdict(undefined)) : verdict));
};

/** Verifies a guess. A pin of another account or area is `not_found`, after the same work as any other. @throws AppError `database_unavailable`. */
export const verify = defineStatementBatch('verify otps', applyVerify);

/** Runs a statement, and answers the verdicts on the guesses in their order; `again`: not judged yet. */
type Look = (sql: Sql, guesses: readonly Guess[]) => Promise<(Verdict | 'again')[]>;

const look: Look = async (sql, guesses) => {
  const rows = new Map((await VERIFY.run(sql, givenOf(guesses))).map(row => [row.ord, row]));
  return guesses.map((_guess, ord) => (rows.get(ord)?.kind === 'again' ? 'again' : toVerdict(rows.get(ord))));
};

/** Verifies a group that is right throughout; any other is looked at as a whole, while nobody else looks at the same pins. */
const lookAtRight: Look = async (sql, guesses) => {
  const otps = new Map((await verifyRight(sql, givenOf(guesses))).map(({ ord, otp }) => [ord, otp]));
  const found = guesses.flatMap((_guess, ord): Verdict[] => {
    const otp = otps.get(ord);
    return otp ? [{ kind: 'verified', otp: fromOtpJson(otp), isAlarm: false }] : [];
  });
  return found.length === guesses.length ? found : look(sql, guesses);
};

function givenOf(guesses: readonly Guess[]) {
  const ids = guesses.map(() => toUuid(newId('att')));
  return {
    guesses: guesses.map((guess, ord) => guessRow(guess, ord, ids[ord] ?? '')),
    exemptRecipients: MAGIC_RECIPIENTS,
    pins: [...guesses.map(guess => toUuid(guess.pinId)), DECOY_ID],
    accounts: [...new Set(guesses.map(guess => toUuid(guess.accountId)))],
    logged: ids,
  };
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
    per_account: settings.wrongCodesPerAccount ?? WRONG_CODES_ALARM,
    is_account_limited: settings.wrongCodesPerAccount !== null,
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
