/** The verbs on endpoints. Another account's endpoint is as one that does not exist. A secret is answered when it is made, and never again. */
import type { Ctx } from '../../../context.ts';
import { LOCKED } from '../../../db/locked.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { newId, parseId } from '../../../kernel/ids.ts';
import { PUBLIC_ONLY } from '../../../outbound/target.ts';
import { getAccount } from '../../accounts/manage-accounts.ts';
import { requireStill } from '../../accounts/people/people-account.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { recordOf } from '../../audit/record-audit.ts';
import { CHANGED, RENEWED, wakeEndpoint } from '../events/announce-webhooks.ts';
import { newWebhookSecret } from '../signatures/webhook-signature.ts';
import { recordEndpointChange, shownUrl, stateOf } from './audit-endpoints.ts';
import type { CreateEndpointInput, UpdateEndpointInput } from './endpoint.input.ts';
import { openSecrets, sealSecret } from './endpoint-secrets.ts';
import { requireWebhookCaller } from './webhook-caller.ts';
import { WebhookEndpoint } from './webhook-endpoint.entity.ts';

/** The rows of a page of endpoints (interface, "Limits"). */
const PAGE_SIZE = 20;

/** The most endpoints of an account: each event costs a row for each of them. */
const ENDPOINTS_MAX = 50;

/** How long the secret before a rotation signs too (contract §7). */
const PREVIOUS_SECRET_MS = 86_400_000;

/** A page of endpoints, newest first. */
export interface EndpointPage {
  readonly rows: readonly WebhookEndpoint[];
  /** The number of the page, from 1. */
  readonly page: number;
  /** The most rows of a page. */
  readonly pageSize: number;
  /** How many endpoints the account has in all. */
  readonly total: number;
}

/** An endpoint with the only sight of the secret that was just made. */
export interface NewEndpointSecret {
  readonly endpoint: WebhookEndpoint;
  /** `whsec_…`; the row keeps it sealed. */
  readonly secret: string;
}

/** The endpoints of the caller's account; a page beyond the last one has no rows. @throws AppError `invalid_input` on `page`, and what `requireWebhookCaller` throws. */
export async function listWebhookEndpoints(ctx: Ctx, page: number): Promise<EndpointPage> {
  const { id: accountId } = requireWebhookCaller(ctx);
  if (!Number.isSafeInteger(page) || page < 1) throw invalidInput('page', 'must be a whole number from 1');
  const options = { orderBy: { id: 'desc' }, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE } as const;
  const [rows, total] = await ctx.em.findAndCount(WebhookEndpoint, { accountId }, options);
  return { rows, page, pageSize: PAGE_SIZE, total };
}

/** An endpoint of the caller's account. @throws AppError `not_found`, and what `requireWebhookCaller` throws. */
export async function getWebhookEndpoint(ctx: Ctx, endpointId: string): Promise<WebhookEndpoint> {
  return findEndpoint(ctx.em, requireWebhookCaller(ctx).id, endpointId);
}

/** The endpoint of an id in an account, locked where the transaction asks for it. @throws AppError `not_found`, for a malformed id too. */
export async function findEndpoint(
  em: Ctx['em'],
  accountId: string,
  endpointId: string,
  how?: typeof LOCKED,
): Promise<WebhookEndpoint> {
  const id = parseId('whk', endpointId);
  const endpoint = id ? await em.findOne(WebhookEndpoint, { id, accountId }, how) : null;
  if (!endpoint) throw new AppError('not_found', 'There is no such webhook endpoint.');
  return endpoint;
}

/** Makes an endpoint. @throws AppError `invalid_input` on `url`, also where the account has 50 already; and as `requireWebhookCaller`. */
export async function createWebhookEndpoint(ctx: Ctx, input: CreateEndpointInput): Promise<NewEndpointSecret> {
  const { id: accountId } = requireWebhookCaller(ctx);
  await checkUrl(ctx, input.url);
  const { url, events, description = null } = input;
  return ctx.em.transactional(async em => {
    // Creations of one account wait for each other: what each of them counts is exact.
    await getAccount(em, accountId, LOCKED);
    await requireStill(em, ctx.actor, 'change');
    if ((await em.count(WebhookEndpoint, { accountId })) >= ENDPOINTS_MAX) {
      const full = `The account has ${ENDPOINTS_MAX} webhook endpoints, the most there can be. Delete one first, or let one take more events.`;
      throw new AppError('invalid_input', full, { errors: [{ field: 'url', message: full }] });
    }
    const [id, secret, now] = [newId('whk'), newWebhookSecret(), ctx.clock.now()];
    const sealed = sealSecret(ctx.services.keys, id, secret);
    const given = { accountId, url, events, description };
    const endpoint = em.create(WebhookEndpoint, { id, ...given, ...sealed, createdAt: now, updatedAt: now });
    await recordOf(em, ctx, endpoint, 'endpoint.created', { url: shownUrl(url), events, description });
    return { endpoint, secret };
  });
}

/**
 * Changes an endpoint. A new URL starts without the failures of the old one, and gets what was pending; what is under way goes where it was going.
 * @throws AppError `not_found`; `invalid_input` on `url`, and on `paused` for a disabled endpoint; and as `requireWebhookCaller`.
 */
export async function updateWebhookEndpoint(ctx: Ctx, input: UpdateEndpointInput): Promise<WebhookEndpoint> {
  const { url, events, description, paused } = input;
  return changeEndpoint(
    ctx,
    input.endpointId,
    'endpoint.updated',
    endpoint => {
      if (url != null && url !== endpoint.url) {
        endpoint.url = url;
        forgetFailures(endpoint);
      }
      if (events != null) endpoint.events = events;
      if (description !== undefined) endpoint.description = description;
      if (paused != null) setPaused(endpoint, paused);
    },
    url,
  );
}

/** Lets deliveries to an endpoint wait, or flow again. One that is disabled is neither paused nor resumed. */
function setPaused(endpoint: WebhookEndpoint, paused: boolean): void {
  if (endpoint.status === 'disabled')
    throw invalidInput('paused', 'the endpoint is disabled, so nothing is delivered to it; enable it first');
  if (paused) endpoint.status = 'paused';
  else resume(endpoint);
}

/** Enables an endpoint that was disabled or paused. Deliveries that it missed can be recovered. @throws AppError `not_found`, and as `requireWebhookCaller`. */
export async function enableWebhookEndpoint(ctx: Ctx, endpointId: string): Promise<WebhookEndpoint> {
  return changeEndpoint(ctx, endpointId, 'endpoint.enabled', endpoint => {
    endpoint.disabledReason = null;
    endpoint.disabledAt = null;
    resume(endpoint);
  });
}

/** Lets deliveries flow again. The time without them is no time of failures; one that is enabled keeps its own. */
function resume(endpoint: WebhookEndpoint): void {
  if (endpoint.status !== 'enabled') forgetFailures(endpoint);
  endpoint.status = 'enabled';
}

/**
 * Gives an endpoint a new secret. The one before signs too for 24 hours by the database's clock, unless its key is lost: then it signed nothing.
 * @throws AppError `not_found`, and as `requireWebhookCaller`.
 */
export async function rotateWebhookSecret(ctx: Ctx, endpointId: string): Promise<NewEndpointSecret> {
  const { keys, database } = ctx.services;
  const secret = newWebhookSecret();
  // Before the transaction: the clock asks on a connection of its own, and the embedded database has one.
  const until = new Date(await database.clock.in(PREVIOUS_SECRET_MS));
  const endpoint = await changeEndpoint(ctx, endpointId, 'endpoint.secret_rotated', async (row, em) => {
    const isLost = openSecrets(keys, row) === null;
    row.previousSecret = isLost ? null : row.secret;
    row.previousSecretKeyId = isLost ? null : row.secretKeyId;
    row.previousSecretUntil = isLost ? null : until;
    Object.assign(row, sealSecret(keys, row.id, secret));
    await recordOf(em, ctx, row, 'endpoint.secret_rotated', { previousSecretUntil: row.previousSecretUntil });
  });
  return { endpoint, secret };
}

/**
 * Deletes an endpoint, and answers it as it was. Its pending deliveries are given up (`endpoint_deleted`) by the next looks of a worker, since
 * they may be many. A try that is under way may still arrive. @throws AppError `not_found`, and what `requireWebhookCaller` throws.
 */
export async function deleteWebhookEndpoint(ctx: Ctx, endpointId: string): Promise<WebhookEndpoint> {
  const { id: accountId } = requireWebhookCaller(ctx);
  return ctx.em.transactional(async em => {
    const endpoint = await findEndpoint(em, accountId, endpointId, LOCKED);
    await wakeEndpoint(em.getKysely(), endpoint.id, CHANGED);
    const details = { url: shownUrl(endpoint.url), events: endpoint.events };
    await recordOf(em, ctx, endpoint, 'endpoint.deleted', details);
    em.remove(endpoint);
    return endpoint;
  });
}

/** Changes an endpoint under its lock, and wakes its worker, which then goes by the row as it is. @param url a URL to be checked first */
async function changeEndpoint(
  ctx: Ctx,
  endpointId: string,
  action: AuditAction,
  change: (endpoint: WebhookEndpoint, em: Ctx['em']) => void | Promise<void>,
  url?: string | null,
): Promise<WebhookEndpoint> {
  const { id: accountId } = requireWebhookCaller(ctx);
  // Names are resolved, which takes its time: never under a lock.
  if (url != null) await checkUrl(ctx, url);
  return ctx.em.transactional(async em => {
    await requireStill(em, ctx.actor, 'change');
    const endpoint = await findEndpoint(em, accountId, endpointId, LOCKED);
    const former = stateOf(endpoint);
    await change(endpoint, em);
    endpoint.updatedAt = ctx.clock.now();
    await recordEndpointChange(em, ctx, endpoint, action, former);
    const isNew = endpoint.url !== former.url || (endpoint.status === 'enabled' && former.status !== 'enabled');
    await wakeEndpoint(em.getKysely(), endpoint.id, isNew ? RENEWED : CHANGED);
    return endpoint;
  });
}

function forgetFailures(endpoint: WebhookEndpoint): void {
  endpoint.failingSince = null;
  endpoint.failures = 0;
  endpoint.circuitOpenUntil = null;
}

/** How events come to a server that deliveries may not reach. Short: a message is cut at 200 characters. */
const WAYS_OUT = 'use npx heliograph webhooks listen, or have WEBHOOK_ALLOWED_NETWORKS name it';

async function checkUrl(ctx: Ctx, url: string): Promise<void> {
  const fault = await ctx.services.outbound.check(url);
  if (fault === null) return;
  throw invalidInput('url', fault.startsWith(PUBLIC_ONLY) ? `${fault}: ${WAYS_OUT}` : fault);
}
