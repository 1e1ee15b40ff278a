/** `doctor`. */
import type { Command } from 'commander';
import { factsOf, readConfig } from '../../config.ts';
import { findGateway } from '../../db/data-dir/announcement.ts';
import { StartError } from '../../kernel/process/start-error.ts';
import { ConfigError } from '../../kernel/settings/config-error.ts';
import { type DoctorReport, type Finding, fault, ok, reportOf, warning } from '../../modules/doctor/finding.ts';
import { lookAtSettings } from '../../modules/doctor/settings.ts';
import { KeyRefusal } from '../../modules/keys/key-refusal.ts';
import { addBareCommand, inSession, outputOf } from '../command.ts';
import { PROGRAM } from '../help.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { columnsOf } from '../output.ts';
import { Refusal } from '../refusal.ts';

const FINDINGS = columnsOf<Finding>({ STATUS: 'status', ABOUT: 'name', FOUND: 'message', MEND: 'mend' });

/** Adds the command that says what to mend, even where no gateway can be asked. */
export function addDoctorCommand(program: Command): void {
  addBareCommand(
    program,
    'doctor',
    'look at settings, database, clock, disk, keys, webhooks and jobs, and say what to mend; status 1 where something is broken',
    {},
  ).action(async (_options: object, command: Command) => {
    const report = await examine(command);
    const out = outputOf(command);
    out.show(report, ({ findings }, screen) => FINDINGS.table(findings, screen));
    if (report.status === 'fault') throw new Refusal(null, 'Something is broken.');
    out.say(report.status === 'ok' ? 'Everything is as it should be.' : 'Nothing is broken; see the warnings.');
  });
}

async function examine(command: Command): Promise<DoctorReport> {
  // Findings on this machine say nothing of a gateway elsewhere.
  const isHere = command.optsWithGlobals<{ readonly profile?: string }>().profile === undefined;
  try {
    let report = reportOf([]);
    await inSession(command, async ({ operator }) => {
      const { findings } = await operator.run(OPERATIONS.doctor, {});
      const accounts = await operator.run(OPERATIONS.accounts, {});
      report = reportOf([...(isHere ? [await lookForGateway()] : []), countAccounts(accounts.length), ...findings]);
    });
    return report;
  } catch (error) {
    if (!isHere) throw error;
    return reportWithout(error);
  }
}

/** Whether a gateway runs where this command looks for one. */
async function lookForGateway(): Promise<Finding> {
  const gateway = await findGateway(readConfig().dataDir);
  if (gateway) return ok('gateway', `A gateway runs at ${gateway.url} (process ${gateway.pid}).`);
  // Reports are passed on: they name no folder.
  return ok('gateway', `No gateway runs on this data directory: ${PROGRAM} start starts one.`);
}

function countAccounts(count: number): Finding {
  if (count > 0) return ok('accounts', `There ${count === 1 ? 'is one account' : `are ${count} accounts`}.`);
  return warning('accounts', 'There is no account yet.', `Make one: ${PROGRAM} demo, or ${PROGRAM} account create.`);
}

/** The report where no gateway can be asked. @throws the error itself where it is no fault of the installation */
function reportWithout(error: unknown): DoctorReport {
  if (error instanceof ConfigError)
    return reportOf(
      error.faults.map(({ variable, message }) =>
        fault(`settings.${variable.toLowerCase()}`, message, `Set ${variable} as it must be, or leave it out.`),
      ),
    );
  if (!(error instanceof StartError || error instanceof Refusal)) throw error;
  // The finding that the operator's token is well is left out: a wrong token may be why no gateway can be asked.
  const config = readConfig();
  const settings = lookAtSettings(factsOf(config)).filter(({ name }) => name !== 'settings.operator_token');
  return reportOf([...settings, closed(error, config.databaseUrl !== null)]);
}

function closed(error: StartError | Refusal, hasServer: boolean) {
  if (error instanceof KeyRefusal) return fault('keys', error.message, 'Give the former key back, as it says.');
  // Only what a database server said does not say by itself what to do.
  if (error instanceof StartError && !hasServer) return fault('gateway', error.message, 'Do what the message says.');
  return fault(
    'gateway',
    error.message,
    'Do what the message says, or see that the database runs, and that the settings of the database and the data directory are right.',
  );
}
