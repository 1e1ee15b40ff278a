/** `demo` and `migrate`. */
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import type { PlannedStatement } from '../../db/plan/plan-migrations.ts';
import { addBareCommand, addCommand, inSession, outputOf, type Session } from '../command.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { flag } from '../options.ts';
import { columnsOf } from '../output.ts';
import { Refusal } from '../refusal.ts';

const MIGRATE = { plan: flag('only say what would be locked, and for how long') };

const PLAN = columnsOf<PlannedStatement>({
  TABLE: ({ table }) => table ?? '-',
  WAITS: 'lock',
  FOR: durationOf,
  STATEMENT: ({ statement }) => (statement.length > 80 ? `${statement.slice(0, 80)}…` : statement),
});

/** Adds the commands that make a database ready. */
export function addSetupCommands(program: Command): void {
  const demo = 'make the demo account, or show what opens it (demo.json)';
  addCommand(program, 'demo', demo, {}, async ({ operator, out }) => {
    out.show(await operator.run(OPERATIONS.seedDemo, {}), made => JSON.stringify(made, null, 2));
  });
  const migrate = 'bring the schema of the database up to date';
  addBareCommand(program, 'migrate', migrate, MIGRATE).action((_options: object, command: Command) =>
    command.opts<{ plan?: true }>().plan ? plan(command) : inSession(command, runMigrations, { opensServer: true }),
  );
}

async function runMigrations({ operator, out }: Session): Promise<void> {
  const migrations = await operator.run(OPERATIONS.migrate, {});
  out.show({ migrations }, () => migrations.join('\n'));
  out.say('The schema of the database is up to date.');
}

async function plan(command: Command): Promise<void> {
  if (command.optsWithGlobals<{ profile?: string }>().profile !== undefined)
    throw new Refusal(null, 'The plan is read from the database of this machine: leave out --profile.');
  const { planOf } = await import('../gateway/plan.ts');
  const planned = await planOf(readConfig());
  const out = outputOf(command);
  out.list(planned, PLAN, 'The next start locks nothing that is in use.');
  if (planned.length > 0)
    out.say('All of it is one transaction: a lock is held until its end. Rows are estimates of PostgreSQL.');
}

/** For how long, as far as it can be known before. */
function durationOf({ work, rows }: PlannedStatement): string {
  const count = rows === null ? 'an unknown number of rows' : `about ${rows.toLocaleString('en-US')} rows`;
  if (work === 'moment') return 'a moment';
  return work === 'unknown' ? 'unknown' : `a ${work} of ${count}`;
}
