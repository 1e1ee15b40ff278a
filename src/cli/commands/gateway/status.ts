/** `status`. */
import type { Command } from 'commander';
import { addCommand } from '../../command.ts';
import { type GatewayStatusData, OPERATIONS } from '../../operations/operations.generated.ts';
import type { Screen } from '../../table.ts';

/** Adds the command that shows how the gateway stands on one screen. */
export function addStatusCommand(program: Command): void {
  const status = 'show how the gateway stands: version, database, connections, backlog, and what was sent today';
  addCommand(program, 'status', status, {}, async ({ operator, out }) => {
    const found = await operator.run(OPERATIONS.gatewayStatus, {});
    out.show(found, readable);
    if (operator.place === 'process') out.say('No gateway runs here: this is what its database says.');
  });
}

function readable(status: GatewayStatusData, screen: Screen): string {
  const { connectionsUp: up, connectionsDown: down, connectionsUnused: unused, connectionsPaused: paused } = status;
  const { attempts, accepted, failed, credits } = status.today;
  const total = up + down + unused + paused;
  const bad = (count: number, text: string): string => (count > 0 ? screen.paint('red', text) : text);
  const facts: readonly (readonly [string, string])[] = [
    ['version', status.version],
    ['database', `PostgreSQL ${status.database}${status.isEmbedded ? ', embedded' : ''}`],
    ...(status.replica ? [['replica', replicaOf(status.replica)] as const] : []),
    ['accounts', String(status.accounts)],
    [
      'connections',
      total === 0 ? 'none' : `${up} up, ${bad(down, `${down} down`)}, ${unused} not used yet, ${paused} paused`,
    ],
    [
      'deliveries',
      `${some(status.deliveriesDue)} due, ${bad(status.deliveriesLate, `${some(status.deliveriesLate)} late`)}`,
    ],
    ['jobs', bad(status.jobsLate, `${some(status.jobsLate)} late`)],
    [
      'today (UTC)',
      `${attempts} attempts, ${accepted} accepted, ${bad(failed, `${failed} failed`)}, ${credits} credits`,
    ],
  ];
  return facts.map(([name, value]) => `${screen.paint('bold', name.padEnd(13))}${value}`).join('\n');
}

function replicaOf({ state, lagSeconds }: NonNullable<GatewayStatusData['replica']>): string {
  const lag = lagSeconds === null ? '' : `, ${lagSeconds.toFixed(1)} s behind`;
  return `${state.toLowerCase()}${lag}`;
}

/** A count that the gateway ends at 10,000. */
function some(count: number): string {
  return count >= 10_000 ? '10,000 or more' : String(count);
}
