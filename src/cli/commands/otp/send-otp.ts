/** `otp send` and `otp verify`. */
import type { Command } from 'commander';
import { DEFAULT_CHANNEL } from '../../../kernel/channel.ts';
import { addAccountCommand } from '../../command.ts';
import { PROGRAM } from '../../help.ts';
import { OPERATIONS, type OtpData } from '../../operations/operations.generated.ts';
import { option, required } from '../../options.ts';
import { columnsOf } from '../../output.ts';
import { Refusal } from '../../refusal.ts';
import { ROUTE, readRoute } from '../../route.ts';
import { paintStanding, type Screen } from '../../table.ts';
import { readChannels, readWhole } from '../../values.ts';

/** The attempts of a message or a passcode, in a table. */
export const ATTEMPTS = columnsOf<OtpData['attempts'][number]>({
  ATTEMPT: 'attemptId',
  CHANNEL: 'channel',
  PROVIDER: 'provider',
  STATUS: 'status',
  SEGMENTS: 'segments',
  ERROR: 'errorCode',
});

const CLIENT_IP = { clientIp: option('<address>', "the end user's address") };

const SEND = {
  to: required('<number>', 'the recipient, with country code'),
  channels: option(
    '<list>',
    `the channels in order, separated by commas; ${DEFAULT_CHANNEL} where nothing chooses`,
    readChannels,
  ),
  ...ROUTE,
  sender: option('<name>', 'the SMS sender name; the default one of the account where it is not given'),
  length: option('<n>', 'digits of the code, 4 to 10; 6 where it is not given', readWhole(4, 10)),
  expiresIn: option(
    '<seconds>',
    'how long the code holds, 60 to 3600; 300 where it is not given',
    readWhole(60, 3_600),
  ),
  template: option('<text>', 'the text, with {{code}} and, if wanted, {{minutes}}'),
  ...CLIENT_IP,
};

/** Adds the commands that send and check a passcode to the group `otp`. */
export function addSendCommands(group: Command): void {
  const send = 'send a passcode; "inbox wait --code" reads it from a phone of the sandbox';
  addAccountCommand(group, 'send', send, SEND, async ({ operator, out, accountId, options }) => {
    const { to, chatFrom, sender, cloudTemplate, length, expiresIn, template, clientIp } = options;
    const input = { to, ...readRoute(options), chatFrom, sender, cloudTemplate, length, expiresIn, template, clientIp };
    const otp = await operator.run(OPERATIONS.sendOtp, { input }, accountId);
    out.show(otp, readable);
    if (otp.status === 'failed') throw new Refusal('all_channels_failed', 'No channel accepted the passcode.');
    if (!otp.attempts.some(({ status }) => status !== 'unknown' && status !== 'failed'))
      out.say('The outcome is not known: the provider did not answer.');
    out.say(`The code holds until ${otp.expiresAt}: ${PROGRAM} otp verify ${otp.pinId} <code>`);
  });
  const verify = 'check the code that a user typed; status 1 where it is wrong';
  addAccountCommand(
    group,
    'verify <pinId> <pin>',
    verify,
    CLIENT_IP,
    async ({ operator, out, accountId, options: { clientIp } }, pinId: string, pin: string) => {
      const otp = await operator.run(OPERATIONS.verifyOtp, { input: { pinId, pin, clientIp } }, accountId);
      out.show(otp, firstLine);
    },
  );
}

function firstLine({ pinId, recipient, status }: OtpData, screen: Screen): string {
  return `${pinId} to ${recipient}: ${paintStanding(status, screen)}`;
}

function readable(otp: OtpData, screen: Screen): string {
  return `${firstLine(otp, screen)}\n${ATTEMPTS.table(otp.attempts, screen)}`;
}
