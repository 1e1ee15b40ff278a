/** The verb *forget a secret key*: gives up the data of a lost key, so that gateways start without it. */
import type { Ctx } from '../../context.ts';
import { requireOperator } from '../../context.ts';
import { AppError, invalidInput } from '../../kernel/errors.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { announceConnections } from '../connections/announce-connections.ts';
import { readCanary, sealCanary } from './canary.ts';
import { FORGET_KEY } from './key-uses.sql.ts';

const KEY_ID = /^[0-9a-f]{8}$/;

/** What was given up. */
export interface ForgottenKey {
  readonly keyId: string;
  /** Live OTPs that were cancelled. */
  readonly passcodes: number;
  /** Webhook endpoints that cannot sign until their secret is rotated. */
  readonly endpoints: number;
  /** Connections that cannot be used until they are given a config. */
  readonly connections: number;
  /** People whose app's codes are right no more: their recovery codes are, until the factor is taken away. */
  readonly factors: number;
  /** Alert rules that lost their Slack-compatible URL. */
  readonly rules: number;
  /** Erased recipients whose stop does not hold any more. */
  readonly stops: number;
}

/**
 * Cancels the live OTPs of a key, blanks its webhook secrets, configs of connections, secrets of second factors and URLs of alert rules, and moves its canary to the current key, for good. The operator only.
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
    if (connections > 0) await announceConnections(sql);
    await recordAudit(em, ctx, { accountId: null, action: 'secret_key.forgotten', subject: keyId, details });
    return { keyId, ...details };
  });
}
