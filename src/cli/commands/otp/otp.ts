/** `otp settings`, `otp set` and `otp template`, and the group of every command on passcodes. */
import type { Command } from 'commander';
import { FRAUD_MODES, OTP_SETTINGS_RANGES } from '../../../modules/accounts/settings/otp-settings.policy.ts';
import { addCommand } from '../../command.ts';
import { OPERATIONS, type OtpSettingsData } from '../../operations/operations.generated.ts';
import { fieldOf, needsSome, option } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { table } from '../../table.ts';
import { enumName, isOn, ON_OFF, readCountries, readWhole, readWholeOrNone } from '../../values.ts';
import { addSendCommands } from './send-otp.ts';

const SETTINGS = columnsOf<OtpSettingsData>({
  ACCOUNT: 'accountId',
  COUNTRIES: row => row.countries?.join(',') ?? 'not chosen',
  FRAUD: 'fraudMode',
  'SMART ENCODING': row => (row.smartEncoding ? 'on' : 'off'),
  COOLDOWN: row => `${row.cooldownSeconds} s`,
  'SENDS/HOUR': 'sendsPerHour',
  'SENDS/DAY': 'sendsPerDay',
  'SENDS/ADDRESS': row => row.sendsPerAddress ?? 'none',
  'WRONG/DAY': 'wrongCodesPerDay',
  'WRONG/ADDRESS': 'wrongCodesPerAddress',
  'WRONG/ACCOUNT': row => row.wrongCodesPerAccount ?? 'none',
});

function whole(member: keyof typeof OTP_SETTINGS_RANGES): (value: string) => number {
  const [min, max] = OTP_SETTINGS_RANGES[member];
  return readWhole(min, max);
}

function wholeOrNone(member: keyof typeof OTP_SETTINGS_RANGES): ReturnType<typeof readWholeOrNone> {
  const [min, max] = OTP_SETTINGS_RANGES[member];
  return readWholeOrNone(min, max);
}

const SET = {
  countries: option('<list|*>', 'where passcodes go: country codes like US,DE, or "*" for everywhere', readCountries),
  fraud: fieldOf('fraudMode', option('<mode>', 'what is done with a suspicious send', FRAUD_MODES)),
  smartEncoding: option('<on|off>', 'send typographic characters of SMS as GSM ones', ON_OFF),
  cooldown: fieldOf(
    'cooldownSeconds',
    option('<seconds>', 'between two passcodes to one recipient', whole('cooldownSeconds')),
  ),
  sendsPerHour: option('<n>', 'passcodes to one recipient in an hour', whole('sendsPerHour')),
  sendsPerDay: option('<n>', 'passcodes to one recipient in 24 hours', whole('sendsPerDay')),
  sendsPerAddress: option('<n|none>', 'passcodes for one clientIp in an hour', wholeOrNone('sendsPerAddress')),
  wrongCodesPerDay: option('<n>', 'wrong codes for one recipient in 24 hours', whole('wrongCodesPerDay')),
  wrongCodesPerAddress: option('<n>', 'wrong codes from one address in 5 minutes', whole('wrongCodesPerAddress')),
  wrongCodesPerAccount: option(
    '<n|none>',
    'wrong codes of the account in a minute',
    wholeOrNone('wrongCodesPerAccount'),
  ),
};

/** Adds the commands on passcodes. */
export function addOtpCommands(program: Command): void {
  const group = program.command('otp').description('passcodes, and how they are limited, guarded and encoded');
  addSendCommands(group);
  const show = 'show the passcode settings of an account';
  addCommand(group, 'settings <accountId>', show, {}, async ({ operator, out }, accountId: string) => {
    out.show(await operator.run(OPERATIONS.otpSettings, { accountId }), SETTINGS.one);
  });
  const set = 'set passcode settings of an account; what is not given stays as it is';
  addCommand(group, 'set <accountId>', set, SET, async ({ operator, out, options }, accountId: string) => {
    const { fraud, cooldown, countries, sendsPerHour, sendsPerDay, sendsPerAddress, smartEncoding } = options;
    const { wrongCodesPerDay, wrongCodesPerAddress, wrongCodesPerAccount } = options;
    const sends = { cooldownSeconds: cooldown, sendsPerHour, sendsPerDay, sendsPerAddress: sendsPerAddress?.value };
    const wrongCodes = {
      wrongCodesPerDay,
      wrongCodesPerAddress,
      wrongCodesPerAccount: wrongCodesPerAccount?.value,
    };
    const words = { fraudMode: enumName(fraud), smartEncoding: isOn(smartEncoding) };
    const input = { accountId, countries, ...words, ...sends, ...wrongCodes };
    out.show(await operator.run(OPERATIONS.updateOtpSettings, { input }), SETTINGS.one);
  }).hook('preAction', needsSome);
  addCommand(
    group,
    'template <accountId> <cloudNumber> <name> <language>',
    'set the template that carries a code',
    {},
    async ({ operator, out }, accountId: string, address: string, name: string, language: string) => {
      const input = { accountId, address, name, language };
      out.show(await operator.run(OPERATIONS.setOtpTemplate, { input }), (number, screen) =>
        table(
          ['NUMBER', 'TEMPLATE', 'LANGUAGE'],
          [[number.name, number.otpTemplate?.name ?? '-', number.otpTemplate?.language ?? '-']],
          screen,
        ),
      );
    },
  );
}
