/** `send`. */
import { type Command, Option } from 'commander';
import { type Channel, DELIVERY_MODES, type DeliveryMode } from '../../kernel/channel.ts';
import { chooseAccount } from '../choose-account.ts';
import { addCommand, inSession } from '../gateway/session.ts';
import { type MessageData, OPERATIONS } from '../operations/operations.generated.ts';
import { orDash, table } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { enumName, readChannels, readObject } from '../values.ts';

interface SendOptions {
  readonly to: string;
  readonly text: string;
  readonly channels?: readonly Channel[];
  readonly mode?: DeliveryMode;
  readonly chatFrom?: string;
  readonly sender?: string;
  /** Whatever object was given: the API says what is wrong with it. */
  readonly cloudTemplate?: { readonly name: string; readonly language: string };
  readonly reference?: string;
  readonly account?: string;
}

/** Adds the command that sends. */
export function addSendCommand(program: Command): void {
  addCommand(program, 'send', 'send a message')
    .requiredOption('--to <number>', 'the recipient, with country code')
    .requiredOption('--text <text>', 'the text')
    .option('--channels <list>', 'the channels in order, separated by commas', readChannels)
    .addOption(new Option('--mode <mode>', 'how several channels are used').choices(DELIVERY_MODES))
    .option('--chat-from <number>', 'the number of the QR sender')
    .option('--sender <name>', 'the SMS sender name')
    .option('--cloud-template <json>', 'the template of the cloud channel: {"name":"…","language":"…"}', readObject)
    .option('--reference <reference>', 'the same request with the same reference is sent once')
    .option('--account <accountId>', 'the account; the only one or the demo account where it is not given')
    .action((options: SendOptions, command: Command) => send(options, command));
}

async function send(options: SendOptions, command: Command): Promise<void> {
  const { to, text, channels, mode, chatFrom, sender, cloudTemplate, reference, account } = options;
  const input = {
    to,
    text,
    channels: channels?.map(channel => enumName(channel)),
    deliveryMode: enumName(mode),
    chatFrom,
    sender,
    cloudTemplate,
    reference,
  };
  await inSession(command, async ({ operator, out }) => {
    const accountId = await chooseAccount(operator, account);
    const message = await operator.run(OPERATIONS.sendMessage, { input }, accountId);
    out.show(message, readable);
    if (message.status === 'failed') throw new Refusal('all_channels_failed', 'No channel accepted the message.');
    if (message.status === 'unknown') out.say('The outcome is not known: the provider did not answer.');
  });
}

function readable(message: MessageData): string {
  const { messageId, status, recipient, attempts } = message;
  const rows = attempts.map(attempt => [
    attempt.attemptId,
    attempt.channel,
    orDash(attempt.provider),
    attempt.status,
    String(attempt.segments),
    orDash(attempt.errorCode),
  ]);
  return `${messageId} to ${recipient}: ${status}\n${table(
    ['ATTEMPT', 'CHANNEL', 'PROVIDER', 'STATUS', 'SEGMENTS', 'ERROR'],
    rows,
  )}`;
}
