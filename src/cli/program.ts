/** The program of the command line: every command, and how each ends. */
import { Command, CommanderError } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { StartError } from '../kernel/process/start-error.ts';
import { ConfigError } from '../kernel/settings/config-error.ts';
import { addAccountCommands } from './commands/accounts.ts';
import { addAlertCommands } from './commands/alerts.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addBalanceCommands } from './commands/balance.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addConnectionCommands } from './commands/connections/connections.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addOpenCommand } from './commands/gateway/open.ts';
import { addProfileCommands } from './commands/gateway/profiles.ts';
import { addStartCommand } from './commands/gateway/start.ts';
import { addStatusCommand } from './commands/gateway/status.ts';
import { addInboxCommands } from './commands/inbox.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addAutoReplyCommands } from './commands/messages/auto-replies.ts';
import { addMessageCommands } from './commands/messages/message.ts';
import { addRecipientCommands } from './commands/messages/recipients.ts';
import { addSendCommand } from './commands/messages/send.ts';
import { addSuppressionCommands } from './commands/messages/suppressions.ts';
import { addTemplateCommands } from './commands/messages/templates.ts';
import { addOtpCommands } from './commands/otp/otp.ts';
import { addRequestsCommand } from './commands/requests.ts';
import { addSenderCommands } from './commands/senders.ts';
import { addSetupCommands } from './commands/setup.ts';
import { addTokenCommands } from './commands/tokens.ts';
import { addUserCommands } from './commands/users.ts';
import { addTriggerCommand } from './commands/webhooks/trigger.ts';
import { addWebhookCommands } from './commands/webhooks/webhooks.ts';
import { addHelpCommand, dress, PROGRAM } from './help.ts';
import { say } from './output.ts';
import { Refusal } from './refusal.ts';

const EXIT = { done: 0, refused: 1, usage: 2 } as const;

/** Every command of the command line. */
export function createProgram(): Command {
  const program = new Command(PROGRAM)
    .description(
      'Runs and asks Heliograph as its operator: at the gateway that runs, or on its database where none does.',
    )
    .version(packageJson.version, '-V, --version', 'print the version')
    // Else an option of the program would be taken for one wherever it stands, in the text of a message too.
    .enablePositionalOptions()
    .exitOverride();
  addStartCommand(program);
  addSetupCommands(program);
  addStatusCommand(program);
  addOpenCommand(program);
  addProfileCommands(program);
  addAccountCommands(program);
  addBalanceCommands(program);
  addTokenCommands(program);
  addUserCommands(program);
  addSenderCommands(program);
  addConnectionCommands(program);
  addTemplateCommands(program);
  addOtpCommands(program);
  addSendCommand(program);
  addMessageCommands(program);
  addLogsCommand(program);
  addRequestsCommand(program);
  addInboxCommands(program);
  addWebhookCommands(program);
  addTriggerCommand(program);
  addAlertCommands(program);
  addSuppressionCommands(program);
  addRecipientCommands(program);
  addAutoReplyCommands(program);
  addAuditCommands(program);
  addMcpCommand(program);
  addKeyCommands(program);
  addDoctorCommand(program);
  addCompletionCommand(program);
  addHelpCommand(program);
  dress(program);
  return program;
}

/** The exit status of what a command threw, which is told on standard error. */
function statusOf(error: unknown): number {
  // Commander has said it already. Asking for help is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (error instanceof Refusal) {
    say(error.code === null ? error.message : `${error.code}: ${error.message}`);
    if (error.hint !== null) say(`Run: ${PROGRAM} ${error.hint}`);
  } else if (error instanceof ConfigError || error instanceof StartError) say(error.message);
  else say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.refused;
}

/** Runs a command: its name, arguments and options. Answers the exit status, 0: done; 1: refused; 2: wrong usage. */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
    return EXIT.done;
  } catch (error) {
    return statusOf(error);
  }
}
