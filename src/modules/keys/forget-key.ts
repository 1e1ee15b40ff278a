/** The verb *forget a secret key*: gives up the data of a lost key, so that gateways start without it. */
import type { Ctx } from '../../context.ts';
import { requireOperator } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { announceConnections } from '../connections/announce-connections.ts';
import { readCanary, sealCanary } from './canary.ts';
import { FORGET_KEY } from './key-uses.sql.ts';

const KEY_ID = /^[0-9a-f]{8}$/;

/** The data that was given up with a key, counted. */
export interface ForgottenKey {
  readonly keyId: string;
  /** Live OTPs that were cancelled. */
  readonly passcodes: number;
  /** Webhook endpoints that cannot sign until their secret is rotated. */
  readonly endpoints: number;
  /** Connections that cannot be used until they are given a config. */
  readonly connections: number;
  /** People who can sign in by recovery codes only, until the second factor is taken away: the codes of their app are refused. */
  readonly factors: number;
  /** Alert rules that lost their Slack-compatible URL. */
  readonly rules: number;
  /** Erased recipients whose stop does not hold any more. */
  readonly stops: number;
}

/**
 * Gives up for good all data that only this key decrypts, and moves its canary to the current key. The operator only. Live OTPs are cancelled, secrets,
 * configs and URLs are blanked, linked chats have to be linked again, and the stops of erased recipients end.
 * @throws AppError `unauthenticated`, `wrong_area`; `invalid_input` for no key id, or that of a present key; `not_found` if nothing needs it
 */
export async function forgetSecretKey(ctx: Ctx, keyId: string): Promise<ForgottenKey> {
  requireOperator(ctx);
  const { keys } = ctx.services;
  if (!KEY_ID.test(keyId)) throw invalidInput('keyId', 'must be the id of a key, 8 hex digits');
  if (keys.ids.includes(keyId)) throw invalidInput('keyId', 'is the id of a key that this gateway has');
  return ctx.em.transactional(async em => {
    const sql = em.getKysely();
    const canary = await readCanary(sql);
    const isOwner = canary?.keyId === keyId && (await sealCanary(sql, keys, canary));
    const lost = await FORGET_KEY.first(sql, { keyId });
    const { passcodes = 0, endpoints = 0, connections = 0, factors = 0, rules = 0, stops = 0 } = lost ?? {};
    if (!isOwner && passcodes + endpoints + connections + factors + rules + stops === 0)
      throw new AppError('not_found', 'Nothing in this database needs a key with this id.');
    const details = { passcodes, endpoints, connections, factors, rules, stops };
    if (connections > 0) await announceConnections(em);
    await recordAudit(em, ctx, { accountId: null, action: 'secret_key.forgotten', subject: keyId, details });
    return { keyId, ...details };
  });
}
