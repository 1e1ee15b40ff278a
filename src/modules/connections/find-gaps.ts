/** The verb *find gaps*: what the connections of an account, or the shared ones, leave unserved. Such a send fails with `no_route`. */
import type { Ctx } from '../../context.ts';
import { CHANNELS, type Channel, channelName, PURPOSES, type Purpose } from '../../kernel/channel.ts';
import { findConfigFault } from './config-fault.ts';
import type { Connection } from './connection.entity.ts';
import { listConnections } from './manage-connections.ts';
import { openConfig } from './sealed-config.ts';

/** How many countries a sentence names. */
const COUNTRIES_MAX = 10;

const LIST = new Intl.ListFormat('en-GB');

const WHAT: Readonly<Record<Purpose, string>> = { message: 'Messages', otp: 'Passcodes' };

/**
 * The sends that fail while the connections stay as they are, a sentence each. None where there is no connection: then the shared ones, or the
 * sandbox, take everything. @throws AppError as `listConnections`
 */
export async function findGaps(ctx: Ctx, accountId: string | null): Promise<string[]> {
  const connections = await listConnections(ctx, accountId);
  if (connections.length === 0) return [];
  // One whose config cannot be used sends nothing, and nobody stands in for it.
  const { keys } = ctx.services;
  return gapsOf(connections.filter(one => openConfig(keys, one) !== null && findConfigFault(ctx, one) === null));
}

/** The same for given connections of an account that has some. Pure. */
export function gapsOf(connections: readonly Pick<Connection, 'channel' | 'isPaused' | 'countries' | 'purposes'>[]) {
  const active = connections.filter(({ isPaused }) => !isPaused);
  const empty = CHANNELS.filter(channel => !active.some(connection => connection.channel === channel));
  const partly = CHANNELS.filter(channel => !empty.includes(channel)).flatMap(channel => {
    const reached = PURPOSES.map(purpose => reachOf(active, channel, purpose));
    const [messages, passcodes] = reached;
    if (messages === passcodes) return messages == null ? [] : [`Texts over ${channelName(channel)} ${messages}`];
    return reached.flatMap((reach, index) => {
      const purpose = PURPOSES[index];
      return reach === null || !purpose ? [] : [`${WHAT[purpose]} over ${channelName(channel)} ${reach}`];
    });
  });
  return [...partly.map(gap => `${gap} with no_route.`), ...(empty.length > 0 ? [nobodyFor(empty)] : [])];
}

/** How far sends of a purpose reach over a channel, as the end of a sentence; null: everywhere. */
function reachOf(
  active: readonly Pick<Connection, 'channel' | 'countries' | 'purposes'>[],
  channel: Channel,
  purpose: Purpose,
): string | null {
  const fitting = active.filter(
    connection => connection.channel === channel && (connection.purposes?.includes(purpose) ?? true),
  );
  if (fitting.length === 0) return 'have no connection: they fail';
  if (fitting.some(({ countries }) => countries == null)) return null;
  const countries = [...new Set(fitting.flatMap(connection => connection.countries ?? []))].sort();
  const more = countries.length - COUNTRIES_MAX;
  const named = countries.slice(0, COUNTRIES_MAX).join(', ');
  return `go to ${named}${more > 0 ? ` and ${more} more` : ''} alone: all others fail`;
}

function nobodyFor(channels: readonly Channel[]): string {
  const names = channels.map(channelName);
  const [verb, them] = names.length === 1 ? ['has', 'it fails'] : ['have', 'they fail'];
  return `${LIST.format(names)} ${verb} no connection, and the sandbox does not stand in: ${them} with no_route.`;
}
