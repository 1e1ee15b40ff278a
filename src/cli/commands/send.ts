/** `send`. */
import type { Command } from 'commander';
import { DELIVERY_MODES } from '../../kernel/channel.ts';
import { addAccountCommand } from '../command.ts';
import { type MessageData, OPERATIONS } from '../operations/operations.generated.ts';
import { option, required } from '../options.ts';
import { columnsOf } from '../output.ts';
import { Refusal } from '../refusal.ts';
import { enumName, readChannels, readObject } from '../values.ts';

const ATTEMPTS = columnsOf<MessageData['attempts'][number]>({
  ATTEMPT: 'attemptId',
  CHANNEL: 'channel',
  PROVIDER: 'provider',
  STATUS: 'status',
  SEGMENTS: 'segments',
  ERROR: 'errorCode',
});

const SEND = {
  to: required('<number>', 'the recipient, with country code'),
  text: required('<text>', 'the text'),
  channels: option('<list>', 'the channels in order, separated by commas', readChannels),
  mode: option('<mode>', 'how several channels are used', DELIVERY_MODES),
  chatFrom: option('<number>', 'the number of the QR sender'),
  sender: option('<name>', 'the SMS sender name'),
  cloudTemplate: option('<json>', 'the template of the cloud channel: {"name":"…","language":"…"}', readObject),
  reference: option('<reference>', 'the same request with the same reference is sent once'),
};

/** Adds the command that sends. */
export function addSendCommand(program: Command): void {
  addAccountCommand(program, 'send', 'send a message', SEND, async ({ operator, out, accountId }, options) => {
    const { to, text, channels, mode, chatFrom, sender, cloudTemplate, reference } = options;
    const route = { channels: channels?.map(channel => enumName(channel)), deliveryMode: enumName(mode) };
    const input = { to, text, ...route, chatFrom, sender, cloudTemplate, reference };
    const message = await operator.run(OPERATIONS.sendMessage, { input }, accountId);
    out.show(message, readable);
    if (message.status === 'failed') throw new Refusal('all_channels_failed', 'No channel accepted the message.');
    if (message.status === 'unknown') out.say('The outcome is not known: the provider did not answer.');
  });
}

function readable({ messageId, status, recipient, attempts }: MessageData): string {
  return `${messageId} to ${recipient}: ${status}\n${ATTEMPTS.table(attempts)}`;
}
