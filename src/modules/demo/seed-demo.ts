/** The verb *seed the demo*: an account to try the gateway with, on the sandbox (contract §2). */
import { z } from 'zod';
import type { OtpSettings, OtpTemplate } from '../../context.ts';
import { type Ctx, requireOperator } from '../../context.ts';
import { runSql } from '../../db/statements/sql.ts';
import { CHANNEL_FACTS, CHANNELS, TEMPLATE_CHANNELS } from '../../kernel/channel.ts';
import { AREAS, type Area, hashPassword, hashToken, newPassword } from '../../kernel/crypto/secrets.ts';
import { newId } from '../../kernel/ids.ts';
import type { Home } from '../../kernel/process/home.ts';
import { Account } from '../accounts/account.entity.ts';
import { announceAccountChange } from '../accounts/authenticate.ts';
import { loadUsedTokens } from '../accounts/load-account.ts';
import { makeToken } from '../accounts/manage-tokens.ts';
import { DashboardUser } from '../accounts/people/dashboard-user.entity.ts';
import { Sender } from '../accounts/sender.entity.ts';
import { EVERY_COUNTRY } from '../accounts/settings/otp-settings.policy.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { bookAdjustment } from '../billing/book-adjustment.ts';

/** The name of the demo account. */
export const DEMO_ACCOUNT = 'demo';

const DEMO_EMAIL = 'demo@heliograph.example';
const DEMO_CREDITS = 1_000;

/** A sender of each channel. */
const DEMO_SENDERS = CHANNELS.map(channel => ({ channel, address: CHANNEL_FACTS[channel].exampleSender }));

/** The sandbox is free in every country, so no country is blocked. */
const DEMO_OTP_SETTINGS: Partial<OtpSettings> = { countries: [EVERY_COUNTRY], fraudMode: 'observe' };
const DEMO_OTP_TEMPLATE: OtpTemplate = { name: 'otp_code', language: 'en_US' };

const demoFile = z.object({
  url: z.string(),
  accountId: z.string(),
  tokens: z.object({ unified: z.string(), sms: z.string(), otp: z.string(), management: z.string() }),
  dashboard: z.object({ email: z.string(), password: z.string() }),
});

/** The content of `demo.json`. */
export type DemoFile = z.infer<typeof demoFile>;

/** An advisory lock, so that only one demo account is made. */
const DEMO_LOCK = 4_820_260_003;

/** Answers `demo.json`, seeding the account where it does not match this database. Safe to repeat and to race. @throws AppError `wrong_area` */
export async function ensureDemo(ctx: Ctx): Promise<DemoFile> {
  requireOperator(ctx);
  const { home } = ctx.services;
  return ctx.em.transactional(async em => {
    await runSql(em.getKysely(), 'select pg_advisory_xact_lock($1::bigint)', [DEMO_LOCK]);
    const kept = demoFile.safeParse(home.readDemo());
    const hashes = kept.success ? Object.values(kept.data.tokens).map(token => hashToken(token).toString('hex')) : [];
    const { grants: live } = await loadUsedTokens(em.getKysely(), hashes);
    const [known] = live.values();
    if (kept.success && known && live.size === AREAS.length) {
      await prepareOtps(em, known.account.id);
      return atHome(home, kept.data);
    }
    const made = { url: home.url(), ...(await seedDemo(em, ctx.clock.now())) };
    const { accountId } = made;
    await recordAudit(em, ctx, { accountId, action: 'demo.seeded', subject: accountId, details: {} });
    // Written before the commit: after a crash in between, the next start replaces the file. The other order could
    // leave an account whose tokens are lost.
    home.writeDemo(made);
    return made;
  });
}

/** Updates the address in `demo.json`, if there is one: the port may have changed. */
export function moveDemo(home: Home): void {
  const kept = demoFile.safeParse(home.readDemo());
  if (kept.success) atHome(home, kept.data);
}

function atHome(home: Home, kept: DemoFile): DemoFile {
  const url = home.url();
  if (url === kept.url) return kept;
  const moved = { ...kept, url };
  home.writeDemo(moved);
  return moved;
}

/** Creates what is missing, with a new password and new tokens, since old ones are not stored. Only a new account gets credits. */
async function seedDemo(em: Ctx['em'], createdAt: Date): Promise<Omit<DemoFile, 'url'>> {
  const password = newPassword();
  const passwordHash = await hashPassword(password);
  const known = await em.findOne(Account, { name: DEMO_ACCOUNT }, { orderBy: { id: 'asc' } });
  const account = known ?? em.create(Account, { id: newId('acc'), name: DEMO_ACCOUNT, rateLimit: null, createdAt });
  const accountId = account.id;
  for (const sender of DEMO_SENDERS) {
    if (await em.findOne(Sender, { accountId, ...sender })) continue;
    em.create(Sender, { id: newId('snd'), accountId, ...sender, isDefault: true, approvedAt: createdAt, createdAt });
  }
  const user = await em.findOne(DashboardUser, { email: DEMO_EMAIL });
  if (user) user.passwordHash = passwordHash;
  else
    em.create(DashboardUser, {
      id: newId('usr'),
      accountId,
      email: DEMO_EMAIL,
      role: 'owner',
      passwordHash,
      createdAt,
    });
  const tokens = Object.fromEntries(
    AREAS.map(area => [area, makeToken(em, accountId, area, createdAt).secret]),
  ) as Record<Area, string>;
  await em.flush();
  if (!known)
    await bookAdjustment(em.getKysely(), { accountId, credits: DEMO_CREDITS, reason: 'to try the gateway with' });
  await prepareOtps(em, accountId);
  await announceAccountChange(em);
  return { accountId, tokens, dashboard: { email: DEMO_EMAIL, password } };
}

/** Adds OTP settings that an older release did not make. Existing settings stay. */
async function prepareOtps(em: Ctx['em'], accountId: string): Promise<void> {
  const account = await em.findOneOrFail(Account, { id: accountId });
  const templated = DEMO_SENDERS.filter(({ channel }) => TEMPLATE_CHANNELS.includes(channel));
  const numbers = await em.find(Sender, { accountId, $or: templated });
  const isPrepared = account.otpSettings != null && numbers.every(({ otpTemplate }) => otpTemplate != null);
  if (isPrepared) return;
  account.otpSettings ??= DEMO_OTP_SETTINGS;
  for (const number of numbers) number.otpTemplate ??= DEMO_OTP_TEMPLATE;
  await announceAccountChange(em);
}
