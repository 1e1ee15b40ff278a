/** `demo` and `migrate`. */
import type { Command } from 'commander';
import { addCommand } from '../command.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';

/** Adds the commands that make a database ready. */
export function addSetupCommands(program: Command): void {
  const demo = 'make the demo account, or show what opens it (demo.json)';
  addCommand(program, 'demo', demo, {}, async ({ operator, out }) => {
    out.show(await operator.run(OPERATIONS.seedDemo, {}), made => JSON.stringify(made, null, 2));
  });
  addCommand(program, 'migrate', 'bring the schema of the database up to date', {}, async ({ operator, out }) => {
    const migrations = await operator.run(OPERATIONS.migrate, {});
    out.show({ migrations }, () => migrations.join('\n'));
    out.say('The schema of the database is up to date.');
  });
}
