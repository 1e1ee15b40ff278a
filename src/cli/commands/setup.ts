/** `demo` and `migrate`. */
import type { Command } from 'commander';
import { addCommand, inSession } from '../gateway/session.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';

/** Adds the commands that make a database ready. */
export function addSetupCommands(program: Command): void {
  addCommand(program, 'demo', 'make the demo account, or show what opens it (demo.json)').action(
    (_options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        out.show(await operator.run(OPERATIONS.seedDemo, {}), demo => JSON.stringify(demo, null, 2));
      }),
  );
  addCommand(program, 'migrate', 'bring the schema of the database up to date').action(
    (_options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        const migrations = await operator.run(OPERATIONS.migrate, {});
        out.show({ migrations }, () => migrations.join('\n'));
        out.say('The schema of the database is up to date.');
      }),
  );
}
