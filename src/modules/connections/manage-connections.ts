/** The verbs on connections: the operator makes, changes and removes them; an account lists its own, secrets masked (contract §12). */
import { isDeepStrictEqual } from 'node:util';
import { providerOf } from '../../channels/registry.ts';
import { type Ctx, managedAccount, requireOperator } from '../../context.ts';
import { LOCKED } from '../../db/locked.ts';
import { AppError, invalidInput, noSuchAccount } from '../../kernel/errors.ts';
import { newId, parseId } from '../../kernel/ids.ts';
import { getAccount } from '../accounts/manage-accounts.ts';
import type { AuditAction } from '../audit/audit-actions.ts';
import { changes, recordOf } from '../audit/record-audit.ts';
import { announceConnections } from './announce-connections.ts';
import { checkConfig, definitionOf } from './check-config.ts';
import { Connection } from './connection.entity.ts';
import type { CreateConnectionInput, UpdateConnectionInput } from './connection.input.ts';
import { askForTemplates } from './live/sync-templates.ts';
import { readQuotasJob } from './quotas/read-quotas.ts';
import { receiptsUrl } from './receipts-url.ts';
import { maskSecrets, newReceiptsToken, openConfig, sealConfig, unmaskSecrets } from './sealed-config.ts';

/**
 * The connections of an account, in the order in which they are tried. An operator asks with null for the shared ones, and with undefined for
 * all: shared ones first, then by account. @throws AppError `wrong_area`, `not_found`
 */
export async function listConnections(ctx: Ctx, accountId: string | null | undefined): Promise<Connection[]> {
  const within = managedAccount(ctx);
  if (within !== null && accountId != null && parseId('acc', accountId) !== within) throw noSuchAccount();
  const named = within ?? accountId;
  const where = named === undefined ? {} : { accountId: named === null ? null : (await getAccount(ctx.em, named)).id };
  const orderBy = { accountId: 'asc nulls first', channel: 'asc', priority: 'asc', id: 'asc' } as const;
  return ctx.em.find(Connection, { ...where, removedAt: null }, { orderBy });
}

/** Makes a connection. @throws AppError `invalid_input` on `provider`, `channel` and what of the config cannot work; `not_found` (account) */
export async function createConnection(ctx: Ctx, input: CreateConnectionInput): Promise<Connection> {
  requireOperator(ctx);
  const { provider, channel, name, priority, weight, countries = null, purposes = null } = input;
  const definition = definitionOf(provider);
  if (!definition.capabilities.channels.includes(channel))
    throw invalidInput('channel', `must be ${definition.capabilities.channels.join(' or ')} for ${provider}`);
  const config = checkConfig(definition, input.config);
  const created = await ctx.em.transactional(async em => {
    const accountId = input.accountId == null ? null : (await getAccount(em, input.accountId)).id;
    const [id, now] = [newId('con'), ctx.clock.now()];
    const sealed = sealConfig(ctx.services.keys, id, { config, receiptsToken: newReceiptsToken() });
    const given = { accountId, provider, channel, name, countries, purposes, ...sealed };
    const numbers = { priority: priority ?? 100, weight: weight ?? 1 };
    const connection = em.create(Connection, { id, ...given, ...numbers, createdAt: now, updatedAt: now });
    await record(em, ctx, connection, 'connection.created', { ...stateOf(connection) });
    await askProvider(ctx, em, connection);
    return connection;
  });
  await ctx.services.providers.refresh();
  return created;
}

/** Changes a connection. @throws AppError `not_found`; `invalid_input` on what of the config cannot work */
export async function updateConnection(ctx: Ctx, input: UpdateConnectionInput): Promise<Connection> {
  const { name, config, priority, weight, countries, purposes, paused } = input;
  return changeConnection(ctx, input.connectionId, async (connection, em) => {
    const former = stateOf(connection);
    if (name != null) connection.name = name;
    if (priority != null) connection.priority = priority;
    if (weight != null) connection.weight = weight;
    if (countries !== undefined) connection.countries = countries;
    if (purposes !== undefined) connection.purposes = purposes;
    if (paused != null) connection.isPaused = paused;
    const isConfigNew = config != null && replaceConfig(ctx, connection, config);
    const details = changes({ ...former }, { ...stateOf(connection) }) ?? {};
    // A config may hold secrets: the trail says only that it changed.
    if (isConfigNew) details.config = { from: '…', to: '…' };
    if (Object.keys(details).length === 0) return;
    connection.updatedAt = ctx.clock.now();
    await record(em, ctx, connection, 'connection.updated', details);
    if (!isConfigNew) return;
    // The new config may be of another number, and nobody has sent by it.
    Object.assign(connection, { number: null, health: 'unknown', healthError: null, healthSince: null });
    await askProvider(ctx, em, connection);
  });
}

/** Lets its provider be asked for its number, its limits and its templates when the transaction of `em` commits. */
async function askProvider({ services: { jobs } }: Ctx, em: Ctx['em'], connection: Connection): Promise<void> {
  await jobs.enqueue(em, readQuotasJob, [{ connectionId: connection.id }]);
  await askForTemplates(jobs, em, connection);
}

/**
 * Gives a connection another address of receipts, for every process within a second; the one before is none from then on. Receipts of messages
 * on their way are lost where the provider was given the address with each message. @throws AppError `not_found`; `invalid_input` on `connectionId`
 */
export async function renewReceiptsUrl(ctx: Ctx, connectionId: string): Promise<Connection> {
  return changeConnection(ctx, connectionId, async (connection, em) => {
    if (!hasReceiptsUrl(connection))
      throw invalidInput('connectionId', 'is of a connection that has no address of receipts');
    const opened = openConfig(ctx.services.keys, connection);
    if (!opened)
      throw invalidInput('connectionId', 'is of a connection whose config cannot be read: give it a new one');
    const sealed = { ...opened, receiptsToken: newReceiptsToken() };
    Object.assign(connection, sealConfig(ctx.services.keys, connection.id, sealed));
    connection.updatedAt = ctx.clock.now();
    await record(em, ctx, connection, 'connection.receipts_renewed', {});
  });
}

/** Whether the provider of a connection reports by HTTP. */
function hasReceiptsUrl({ provider }: Connection): boolean {
  return providerOf(provider)?.capabilities.receipts === 'http';
}

/**
 * Removes a connection: nothing more goes by it, and what is in flight ends; receipts by HTTP are still taken.
 * @param alongside ends in the same transaction what hangs on it @throws AppError `not_found`
 */
export async function deleteConnection(
  ctx: Ctx,
  connectionId: string,
  alongside: (em: Ctx['em'], id: string) => Promise<unknown>,
): Promise<Connection> {
  return changeConnection(ctx, connectionId, async (connection, em) => {
    connection.removedAt = connection.updatedAt = ctx.clock.now();
    await alongside(em, connection.id);
    await record(em, ctx, connection, 'connection.deleted', { ...stateOf(connection) });
  });
}

/** The address that the provider of a connection reports to. Null: it does not report by HTTP, the caller is not the operator, or its secret key is lost. */
export function shownReceiptsUrl(ctx: Ctx, connection: Connection): string | null {
  if (ctx.actor.kind !== 'operator' || !hasReceiptsUrl(connection)) return null;
  const opened = openConfig(ctx.services.keys, connection);
  return opened && receiptsUrl(ctx.services.home.publicUrl(), connection.id, opened.receiptsToken);
}

/** The config as it may be shown; null: its key is lost. */
export function shownConfig(ctx: Ctx, connection: Connection): Record<string, unknown> | null {
  const opened = openConfig(ctx.services.keys, connection);
  const schema = providerOf(connection.provider)?.configSchema;
  return opened && schema ? (maskSecrets(schema, opened.config) as Record<string, unknown>) : null;
}

/** The connection of an id, if it was not removed, with the lock that the caller wants. @throws AppError `not_found`, for a malformed id too */
export async function getConnection(em: Ctx['em'], connectionId: string, how?: typeof LOCKED): Promise<Connection> {
  const id = parseId('con', connectionId);
  const connection = id ? await em.findOne(Connection, { id, removedAt: null }, how) : null;
  if (!connection) throw new AppError('not_found', 'There is no such connection.');
  return connection;
}

async function changeConnection(
  ctx: Ctx,
  connectionId: string,
  change: (connection: Connection, em: Ctx['em']) => Promise<void>,
): Promise<Connection> {
  requireOperator(ctx);
  const changed = await ctx.em.transactional(async em => {
    const connection = await getConnection(em, connectionId, LOCKED);
    await change(connection, em);
    return connection;
  });
  await ctx.services.providers.refresh();
  return changed;
}

/** Replaces the config; false: it is the one that is there. */
function replaceConfig({ services: { keys } }: Ctx, connection: Connection, given: Record<string, unknown>): boolean {
  const definition = definitionOf(connection.provider);
  const opened = openConfig(keys, connection);
  const whole = unmaskSecrets(definition.configSchema, given, opened?.config);
  const config = checkConfig(definition, whole as Record<string, unknown>);
  if (opened && isDeepStrictEqual(config, opened.config)) return false;
  // Its key is lost: the address of its receipts is a new one.
  const receiptsToken = opened?.receiptsToken ?? newReceiptsToken();
  Object.assign(connection, sealConfig(keys, connection.id, { config, receiptsToken }));
  return true;
}

/** The settings of a connection for the audit trail: all but its config. */
function stateOf({ provider, channel, name, priority, weight, countries, purposes, isPaused }: Connection) {
  const lists = { countries: countries ?? null, purposes: purposes ?? null };
  return { provider, channel, name, priority, weight, ...lists, paused: isPaused };
}

async function record(
  em: Ctx['em'],
  ctx: Ctx,
  connection: Connection,
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await recordOf(em, ctx, connection, action, details);
  await announceConnections(em);
}
