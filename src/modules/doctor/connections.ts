/** Checks the connections: which are down or sick, whose config is lost or refused now, and whether providers can report. */
import { PROVIDERS } from '../../channels/registry.ts';
import type { Ctx } from '../../context.ts';
import type { Sql } from '../../db/statements/sql.ts';
import { statement } from '../../db/statements/statement.ts';
import { fromUuid } from '../../kernel/ids.ts';
import { findConfigFault } from '../connections/config-fault.ts';
import { Connection } from '../connections/connection.entity.ts';
import { HEALTH_NOW } from '../connections/health/health.sql.ts';
import { type Finding, ok, warning } from './finding.ts';

const COUNT_CONNECTIONS = statement('count connections', {
  takes: { reporters: 'text[]' },
  gives: { total: 'int', paused: 'int', lost: 'int', reporting: 'int' },
  sql: p => `
  select count(*)::int as total, (count(*) filter (where is_paused))::int as paused,
    (count(*) filter (where config_key_id = ''))::int as lost, (count(*) filter (where provider = any(${p.reporters})))::int as reporting
  from connections where removed_at is null`,
});

const FIND_DOWN = statement('find connections that are down', {
  gives: { id: 'uuid', name: 'text', error: 'text?', since: 'timestamptz?' },
  sql: () => `
  select id, name, health_error as error, health_since as since from connections
  where removed_at is null and not is_paused and health = 'down' order by health_since limit 20`,
});

/** The providers that report by HTTP. */
const REPORTERS = PROVIDERS.filter(({ capabilities }) => capabilities.receipts === 'http').map(({ id }) => id);

const FIND_SICK = statement('find connections that are sick', {
  gives: { name: 'text', reason: 'text' },
  sql: () => `
  select distinct on (c.id) c.name, h.reason from (${HEALTH_NOW}) h join connections c on c.id = h.connection_id
  where h.reason is not null and c.removed_at is null and not c.is_paused order by c.id, h.country limit 20`,
});

/** Checks the connections. @throws errors of the database */
export async function lookAtConnections(ctx: Ctx, sql: Sql): Promise<Finding[]> {
  const { sandbox } = ctx.services.settings;
  const publicUrl = ctx.services.home.publicUrl();
  const {
    total = 0,
    paused = 0,
    lost = 0,
    reporting = 0,
  } = (await COUNT_CONNECTIONS.first(sql, { reporters: REPORTERS })) ?? {};
  if (total === 0) {
    if (sandbox) return [ok('connections', 'No provider is connected: the sandbox answers.')];
    const nobody = 'No provider is connected and SANDBOX is off: every send fails with no_route.';
    return [warning('connections', nobody, 'Connect one: npx heliograph connection add')];
  }
  const down = await FIND_DOWN.run(sql);
  return [
    ok('connections', `${total} connections, ${paused} of them paused.`),
    ...down.map(({ id, name, error, since }) =>
      warning(
        'connections.down',
        `The connection "${name}" is down since ${since?.toISOString() ?? 'some time'}. ${error ?? 'It fails.'}`,
        ctx.services.providers.of(fromUuid('con', id))?.session
          ? `Mend that. Where its phone is not linked: npx heliograph connection link ${fromUuid('con', id)}`
          : 'See what its provider says, and try it: npx heliograph connection test',
      ),
    ),
    ...(await FIND_SICK.run(sql)).map(({ name, reason }) =>
      warning(
        'connections.sick',
        `The connection "${name}" is sick. ${reason}`,
        'Ask its provider; texts go by another connection that is well, if there is one.',
      ),
    ),
    ...(await findUnusable(ctx)),
    ...(lost > 0 ? [LOST(lost)] : []),
    ...(reporting > 0 && isLocal(publicUrl) ? [UNREACHABLE(publicUrl)] : []),
  ];
}

/** Those whose config this version refuses, each with what is wrong with it. */
async function findUnusable(ctx: Ctx): Promise<Finding[]> {
  const stored = await ctx.services.database.fork().find(Connection, { removedAt: null }, { disableIdentityMap: true });
  return stored.flatMap(connection => {
    const fault = findConfigFault(ctx, connection);
    if (fault === null) return [];
    return warning(
      'connections.config',
      `The connection "${connection.name}" cannot be used: ${fault}.`,
      `Give it a config without that: npx heliograph connection set ${connection.id} --config <json|@file>`,
    );
  });
}

const LOST = (count: number): Finding =>
  warning(
    'connections.forgotten',
    `${count} connections have lost their config with a key that was forgotten: nothing goes by them.`,
    'Give them a new one: npx heliograph connection set',
  );

const UNREACHABLE = (publicUrl: string): Finding =>
  warning(
    'connections.receipts',
    `Providers are told to report to ${publicUrl}, which only this machine reaches: receipts from elsewhere never come.`,
    'Set PUBLIC_URL to the address by which they reach this gateway.',
  );

function isLocal(publicUrl: string): boolean {
  const { hostname } = new URL(publicUrl);
  return ['localhost', '0.0.0.0', '[::]', '[::1]'].includes(hostname) || hostname.startsWith('127.');
}
