/** `otp settings`, `otp set` and `otp template`. */
import { type Command, Option } from 'commander';
import type { FraudMode } from '../../context.ts';
import { FRAUD_MODES, OTP_SETTINGS_RANGES } from '../../modules/accounts/otp-settings.policy.ts';
import { addCommand, inSession } from '../gateway/session.ts';
import { OPERATIONS, type OtpSettingsData } from '../operations/operations.generated.ts';
import { table } from '../output.ts';
import { enumName, readCountries, readWhole } from '../values.ts';

interface SetOptions {
  readonly countries?: string[];
  readonly fraud?: FraudMode;
  readonly cooldown?: number;
  readonly sendsPerHour?: number;
  readonly sendsPerDay?: number;
  readonly wrongCodesPerDay?: number;
  readonly wrongCodesPerAddress?: number;
  readonly wrongCodesPerAccount?: number;
}

function whole(member: keyof typeof OTP_SETTINGS_RANGES): (value: string) => number {
  const [min, max] = OTP_SETTINGS_RANGES[member];
  return readWhole(min, max);
}

/** Adds the commands on OTP settings. */
export function addOtpCommands(program: Command): void {
  const group = program.command('otp').description('how the passcodes of an account are limited and guarded');
  addCommand(group, 'settings <accountId>', 'show the passcode settings of an account').action(
    (accountId: string, _options: object, command: Command) =>
      inSession(command, async ({ operator, out }) => {
        out.show(await operator.run(OPERATIONS.otpSettings, { accountId }), settings);
      }),
  );
  addCommand(group, 'set <accountId>', 'set passcode settings of an account; what is not given stays as it is')
    .option(
      '--countries <list|*>',
      'where passcodes go: country codes like US,DE, or "*" for everywhere',
      readCountries,
    )
    .addOption(new Option('--fraud <mode>', 'what is done with a suspicious send').choices(FRAUD_MODES))
    .option('--cooldown <seconds>', 'between two passcodes to one recipient', whole('cooldownSeconds'))
    .option('--sends-per-hour <n>', 'passcodes to one recipient in an hour', whole('sendsPerHour'))
    .option('--sends-per-day <n>', 'passcodes to one recipient in 24 hours', whole('sendsPerDay'))
    .option('--wrong-codes-per-day <n>', 'wrong codes for one recipient in 24 hours', whole('wrongCodesPerDay'))
    .option('--wrong-codes-per-address <n>', 'wrong codes from one address in 5 minutes', whole('wrongCodesPerAddress'))
    .option('--wrong-codes-per-account <n>', 'wrong codes of the account in a minute', whole('wrongCodesPerAccount'))
    .action((accountId: string, options: SetOptions, command: Command) => setSettings(accountId, options, command));
  addCommand(
    group,
    'template <accountId> <cloudNumber> <name> <language>',
    'set the template that carries a code',
  ).action((accountId: string, address: string, name: string, language: string, _options: object, command: Command) =>
    inSession(command, async ({ operator, out }) => {
      const input = { accountId, address, name, language };
      out.show(await operator.run(OPERATIONS.setOtpTemplate, { input }), number =>
        table(
          ['NUMBER', 'TEMPLATE', 'LANGUAGE'],
          [[number.name, number.otpTemplate?.name ?? '-', number.otpTemplate?.language ?? '-']],
        ),
      );
    }),
  );
}

async function setSettings(accountId: string, options: SetOptions, command: Command): Promise<void> {
  const { countries, fraud, cooldown, sendsPerHour, sendsPerDay } = options;
  const { wrongCodesPerDay, wrongCodesPerAddress, wrongCodesPerAccount } = options;
  const changes = {
    countries,
    fraudMode: enumName(fraud),
    cooldownSeconds: cooldown,
    sendsPerHour,
    sendsPerDay,
    wrongCodesPerDay,
    wrongCodesPerAddress,
    wrongCodesPerAccount,
  };
  if (Object.values(changes).every(value => value === undefined))
    command.error('error: give at least one of the options (see --help)');
  await inSession(command, async ({ operator, out }) => {
    out.show(await operator.run(OPERATIONS.updateOtpSettings, { input: { accountId, ...changes } }), settings);
  });
}

function settings(data: OtpSettingsData): string {
  return table(
    [
      'ACCOUNT',
      'COUNTRIES',
      'FRAUD',
      'COOLDOWN',
      'SENDS/HOUR',
      'SENDS/DAY',
      'WRONG/DAY',
      'WRONG/ADDRESS',
      'WRONG/ACCOUNT',
    ],
    [
      [
        data.accountId,
        data.countries?.join(',') ?? 'not chosen',
        data.fraudMode,
        `${data.cooldownSeconds} s`,
        String(data.sendsPerHour),
        String(data.sendsPerDay),
        String(data.wrongCodesPerDay),
        String(data.wrongCodesPerAddress),
        String(data.wrongCodesPerAccount),
      ],
    ],
  );
}
