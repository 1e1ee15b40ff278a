/** Runs sequences of the ledger's model against the verbs, and says what is not as the contract has it. */
import type { Ctx } from '../../../src/context.ts';
import { AppError } from '../../../src/kernel/errors.ts';
import { fromUuid, toUuid } from '../../../src/kernel/ids.ts';
import { MESSAGE } from '../../../src/modules/messaging/message-kind.ts';
import { sendMessage } from '../../../src/modules/messaging/send-message.ts';
import { OTP } from '../../../src/modules/otp/send/otp-kind.ts';
import { resendOtp } from '../../../src/modules/otp/send/resend-otp.ts';
import { sendOtp } from '../../../src/modules/otp/send/send-otp.ts';
import { recordReceipts } from '../../../src/modules/routing/receipts/record-receipts.ts';
import { recoverSends } from '../../../src/modules/routing/recovery/recover.ts';
import { newRecipient } from '../otp/pins.ts';
import { makeAccount, OPERATOR, type TestAccount, type TestServices } from '../services.ts';
import { type Command, routeOf, type Sequence, type Way, wayOf } from './ledger-model.ts';
import { type Asked, type AskedAccount, freeze, planFor } from './ledger-providers.ts';
import { adjust, auditMoney } from './money-audit.ts';

/** Refusals that are not about money. */
const FAIR = ['reference_in_flight', 'overloaded', 'otp_cooldown', 'rate_limited', 'otp_expired'];

/** The outcome of a command: `short` where the balance did not pay for it. */
type Result = 'done' | 'short' | 'refused';

/** One account of a sequence. */
interface Party extends AskedAccount {
  readonly account: TestAccount;
  readonly pins: string[];
  /** Recipients of the references. */
  readonly repeats: string[];
}

/** A sequence that is run. */
interface Run {
  readonly t: TestServices;
  readonly parties: readonly [Party, Party];
  /** Sends whose process may be overtaken. */
  readonly slow: Promise<unknown>[];
  readonly faults: string[];
}

/** Runs a sequence to its end, and answers what is wrong, a sentence each; empty: nothing is. */
export async function runSequence(t: TestServices, sequence: Sequence): Promise<readonly string[]> {
  const [first, second] = await Promise.all(sequence.credits.map(credits => newParty(t, credits)));
  if (!first || !second) throw new Error('there are two accounts');
  const run: Run = { t, parties: [first, second], slow: [], faults: [] };
  for (const wave of sequence.waves) await runWave(run, wave);
  // As if whoever is stuck were dead.
  for (const party of run.parties) await overtakeAll(run, party);
  await judge(run, 'before the overtaken came back');
  for (const party of run.parties) for (const asked of party.stuck.splice(0)) asked.wake(sequence.last);
  await Promise.all(run.slow);
  for (const party of run.parties) await overtakeAll(run, party);
  await judge(run, 'at the end');
  for (const party of run.parties) judgeAsked(run, party, await paidAttempts(run, party));
  return run.faults;
}

async function newParty(t: TestServices, credits: number): Promise<Party> {
  const account = await makeAccount(t.services, { credits });
  return {
    account,
    asked: [],
    stuck: [],
    plans: [],
    overtakes: 0,
    isRestless: false,
    pins: [],
    repeats: Array.from({ length: 3 }, newRecipient),
  };
}

async function runWave(run: Run, wave: readonly Command[]): Promise<void> {
  const before = await Promise.all(run.parties.map(({ account }) => roomOf(run, account)));
  const results = await Promise.all(wave.map(command => runCommand(run, command)));
  for (const [index, { least, most }] of before.entries()) {
    const own = wave.flatMap((command, at) => (command.who === index ? [{ command, result: results[at] }] : []));
    if (run.parties[index]?.isRestless || own.some(({ command }) => !SPENDS.includes(command.kind))) continue;
    const isShort = own.some(({ result }) => result === 'short');
    const need = own.reduce((sum, { command }) => sum + needOf(command), 0);
    if (isShort && need <= least) run.faults.push(`refused, though ${need} fit into ${least}: ${JSON.stringify(own)}`);
    const [only] = own;
    if (own.length !== 1 || !only || !isSmsOnly(only.command) || only.result === 'refused') continue;
    if (!isShort && need > most)
      run.faults.push(`done, though ${need} do not fit into ${most}: ${JSON.stringify(own)}`);
  }
}

const SPENDS: readonly Command['kind'][] = ['send', 'code'];

function needOf(command: Command): number {
  if ((command.kind !== 'send' && command.kind !== 'code') || wayOf(command).route === 'chat') return 0;
  return command.kind === 'send' ? command.segments : 1;
}

function isSmsOnly(command: Command): boolean {
  return (command.kind === 'send' || command.kind === 'code') && wayOf(command).route === 'sms';
}

/**
 * How many credits can be spent. At least: the balance, or the rest of the cap. At most: the same with all holds released, since one channel
 * of a send may be stuck while the other comes to its end.
 */
async function roomOf({ t }: Run, { accountId }: TestAccount): Promise<{ least: number; most: number }> {
  const [row] = await t.sql<{ least: number; most: number }>(
    `select room as least, (room + h.held)::int as most from (
       select least(credits, daily_spend_cap - case when spend_day = (now() at time zone 'UTC')::date then spent else 0 end) as room
       from accounts where id = $1) r, (select held from accounts where id = $1) h`,
    [toUuid(accountId)],
  );
  return row ?? { least: Number.NaN, most: Number.NaN };
}

async function runCommand(run: Run, command: Command): Promise<Result> {
  const party = run.parties[command.who];
  try {
    return await perform(run, party, command);
  } catch (error) {
    if (error instanceof AppError && error.code === 'insufficient_balance') return 'short';
    if (!(error instanceof AppError) || !FAIR.includes(error.code))
      run.faults.push(`${JSON.stringify(command)} failed: ${error instanceof Error ? error.stack : String(error)}`);
    return 'refused';
  }
}

async function perform(run: Run, party: Party, command: Command): Promise<Result> {
  const { t } = run;
  const { account } = party;
  const unified = (): Ctx => t.ctxFor(account.actor('unified'));
  switch (command.kind) {
    case 'send': {
      const { way, segments } = command;
      const text = 'a'.repeat(segments === 1 ? 9 : 153 * segments);
      return await track(run, party, newRecipient(), way, to =>
        sendMessage(unified(), { to, text, ...routeOf(way), sender: 'ACME' }),
      );
    }
    case 'repeat': {
      const reference = `r${command.reference}`;
      const way: Way = { route: 'sms', mode: 'fallback', chat: 'accepted', sms: command.sms };
      return await track(run, party, party.repeats[command.reference] ?? '', way, to =>
        sendMessage(unified(), { to, text: 'Hello', channels: ['sms'], sender: 'ACME', reference }),
      );
    }
    case 'code': {
      const way = wayOf(command);
      const ctx = t.ctxFor(account.actor(command.ofOtpArea ? 'otp' : 'unified'));
      return await track(run, party, newRecipient(), way, async to => {
        const otp = await sendOtp(ctx, { to, ...routeOf(way), sender: 'ACME' });
        if (!command.ofOtpArea) party.pins.push(otp.id);
      });
    }
    case 'resend':
      return await resend(run, party, command.way, party.pins[command.pick % party.pins.length]);
    case 'receipt':
      await report(run, party.asked[command.pick % party.asked.length], command);
      return 'done';
    case 'adjust':
      // More than is there cannot be taken away.
      await adjust(t.sql, account.accountId, command.credits).catch(ifTooMuch);
      return 'done';
    case 'cap':
      await t.sql('update accounts set daily_spend_cap = $2 where id = $1', [toUuid(account.accountId), command.cap]);
      return 'done';
    case 'overtake':
      await overtake(run, party);
      return 'done';
    case 'wake': {
      const [asked] = party.stuck.splice(command.pick % Math.max(1, party.stuck.length), 1);
      asked?.wake(command.act === 'stuck' ? 'accepted' : command.act);
      return 'done';
    }
  }
}

function ifTooMuch(error: unknown): void {
  if (!(error instanceof Error) || !error.message.includes('accounts_credits_check')) throw error;
}

/** Sends, and waits until it is sent, or until its provider is stuck: then it goes on in the background. */
async function track(
  run: Run,
  party: Party,
  recipient: string,
  { chat, sms }: Way,
  send: (to: string) => Promise<unknown>,
): Promise<Result> {
  const stuck = Promise.withResolvers<void>();
  planFor(recipient, { chat, sms, of: party, onStuck: stuck.resolve });
  const sending = send(`+${recipient}`);
  run.slow.push(sending.catch(() => null));
  await Promise.race([sending, stuck.promise]);
  return 'done';
}

async function resend(run: Run, party: Party, way: Way, pinId: string | undefined): Promise<Result> {
  if (pinId === undefined) return 'done';
  const [row] = await run.t.sql<{ recipient: string }>(
    'update otps set resend_available_at = now() where id = $1 returning recipient',
    [toUuid(pinId)],
  );
  return track(run, party, row?.recipient ?? '', way, () =>
    resendOtp(run.t.ctxFor(party.account.actor('unified')), { pinId }),
  );
}

/** Reports what became of an attempt, by the provider's id of it and by ours. */
async function report(
  { t }: Run,
  asked: Asked | undefined,
  { status, times }: Extract<Command, { kind: 'receipt' }>,
): Promise<void> {
  if (!asked) return;
  const { attemptId, providerMessageId } = asked;
  // One that refused, and then delivers all the same, must have told its id.
  if (asked.act === 'rejected')
    await t.sql(
      `update attempts set provider_message_id = $2 where id = $1 and status = 'failed' and provider_message_id is null`,
      [attemptId, providerMessageId],
    );
  const receipt = {
    provider: 'scripted',
    providerMessageId,
    attemptId: fromUuid('att', attemptId),
    status,
    errorCode: null,
    errorMessage: null,
  };
  const results = await Promise.all(Array.from({ length: times }, () => recordReceipts(t.ctxFor(OPERATOR), [receipt])));
  if (!results.flat().includes('raised')) return;
  if (status === 'delivered') asked.isProven = true;
  else asked.isDenied = true;
}

/** Ends the leases of an account, as time does, and makes a round of recovery. */
async function overtake({ t }: Run, party: Party): Promise<void> {
  const { accountId } = party.account;
  party.overtakes += 1;
  for (const plan of party.plans) freeze(null, plan);
  for (const table of ['messages', 'otps'])
    await t.sql(
      `update ${table} set lease_until = clock_timestamp() - interval '1 second' where id in (
         select id from ${table} where account_id = $1 and lease_until is not null for update skip locked)`,
      [toUuid(accountId)],
    );
  await Promise.all([recoverSends(t.ctxFor(OPERATOR), MESSAGE), recoverSends(t.ctxFor(OPERATOR), OTP)]);
  party.overtakes -= 1;
}

/** Does so until nothing is under way: one that was woken a moment ago may have gone on to its next channel. */
async function overtakeAll(run: Run, party: Party): Promise<void> {
  for (let isOver = false; !isOver; ) {
    await overtake(run, party);
    const [row] = await run.t.sql<{ isOver: boolean }>(
      `select not exists (select from messages where account_id = $1 and lease_until is not null)
         and not exists (select from otps where account_id = $1 and lease_until is not null) as "isOver"`,
      [toUuid(party.account.accountId)],
    );
    isOver = row?.isOver ?? false;
  }
}

/** Looks at the money of both accounts while nothing is under way. */
async function judge({ t, parties, faults }: Run, when: string): Promise<void> {
  for (const { account } of parties) {
    const audit = await auditMoney(t.sql, account.accountId);
    faults.push(...audit.faults.map(fault => `${when}: ${fault}`));
    if (audit.held !== 0) faults.push(`${when}: ${audit.held} credits are held, and nothing is under way`);
    if (audit.spent < 0) faults.push(`${when}: ${audit.spent} credits were spent`);
  }
}

/** The attempts that were captured or charged, by uuid. */
async function paidAttempts({ t }: Run, { account }: Party): Promise<ReadonlySet<string>> {
  const rows = await t.sql<{ attempt_id: string }>(
    `select attempt_id from ledger where account_id = $1 and kind in ('capture', 'charge')`,
    [toUuid(account.accountId)],
  );
  return new Set(rows.map(row => row.attempt_id));
}

/** Whether exactly that is paid which a provider took, by its own words or by a receipt. */
function judgeAsked({ faults }: Run, { asked }: Party, paid: ReadonlySet<string>): void {
  const attempts = new Set(asked.map(({ attemptId }) => attemptId));
  if (attempts.size !== asked.length) faults.push('an attempt was made twice');
  for (const { attemptId, channel, act, isProven, isDenied } of asked) {
    const isTaken = act === 'accepted' || isProven;
    const isPaid = paid.has(attemptId);
    // Denied by a receipt before its overtaken process could say that it was accepted: either is right.
    if (channel !== 'sms' ? isPaid : isPaid !== isTaken && !(isDenied && !isPaid))
      faults.push(`${channel} attempt ${attemptId}: ${act}, proven: ${isProven}, denied: ${isDenied}, paid: ${isPaid}`);
  }
  for (const id of paid) if (!attempts.has(id)) faults.push(`attempt ${id} is paid, and no provider was asked`);
}
