/** `send`. */
import type { Command } from 'commander';
import { type AccountSession, addAccountCommand } from '../../command.ts';
import { type MessageData, OPERATIONS, type SendPreviewData } from '../../operations/operations.generated.ts';
import { flag, option, required } from '../../options.ts';
import { Refusal } from '../../refusal.ts';
import { ROUTE, readRoute } from '../../route.ts';
import { paintStanding, type Screen } from '../../table.ts';
import { readChannels, type readTemplate } from '../../values.ts';
import { ATTEMPTS } from '../otp/send-otp.ts';
import { findMessage } from './message.ts';

const SEND = {
  to: required('<number>', 'the recipient, with country code'),
  text: required('<text>', 'the text'),
  channels: option('<list>', 'the channels in order, separated by commas', readChannels),
  ...ROUTE,
  sender: option('<name>', 'the SMS sender name'),
  reference: option('<reference>', 'the same request with the same reference is sent once'),
  dryRun: flag('say what it would do and cost, and send nothing'),
};

/** Adds the command that sends. */
export function addSendCommand(program: Command): void {
  addAccountCommand(program, 'send', 'send a message', SEND, async session => {
    const { operator, out, accountId, options } = session;
    const { to, text, chatFrom, sender, cloudTemplate, reference, dryRun } = options;
    const input = { to, text, ...readRoute(options), chatFrom, sender, cloudTemplate, reference };
    if (dryRun) {
      const preview = await operator.run(OPERATIONS.previewSend, { input }, accountId);
      const look = cloudTemplate ? await lookOf(session, cloudTemplate) : [];
      return out.show(preview, data => [readablePreview(data), ...look].join('\n'));
    }
    const former = reference === undefined ? null : await findMessage(session, reference);
    const message = await operator.run(OPERATIONS.sendMessage, { input }, accountId);
    out.show(message, readableMessage);
    if (message.messageId === former?.messageId)
      out.say(
        `Nothing was sent again: this is what the same request with the reference ${reference} was answered first.`,
      );
    if (message.status === 'failed') throw new Refusal('all_channels_failed', 'No channel accepted the message.');
    if (message.status === 'unknown') out.say('The outcome is not known: the provider did not answer.');
  });
}

/** The text of a template as it will look; none: the gateway does not know it. */
async function lookOf(
  { operator, accountId }: AccountSession,
  { name, language, components }: ReturnType<typeof readTemplate>,
): Promise<readonly string[]> {
  const { nodes } = await operator.run(OPERATIONS.templateTexts, { filter: { name, language }, components }, accountId);
  const found = nodes.find(node => node.name === name && node.preview !== null);
  return found ? [`by the template ${found.name} (${found.language}): ${found.preview}`] : [];
}

/** A message in a line, and its attempts in a table. */
export function readableMessage({ messageId, status, recipient, attempts }: MessageData, screen: Screen): string {
  return `${messageId} to ${recipient}: ${paintStanding(status, screen)}\n${ATTEMPTS.table(attempts, screen)}`;
}

const COSTS = { ucs2: 'makes it UCS-2', double: 'counts twice' } as const;

/** In the order in which they are asked, or why they are not. */
const VERDICTS = {
  first: 'asked first',
  follows: 'follows where the one before cannot send',
  sick: 'is sick, and is asked after those that are well',
  trial: 'is sick, and is tried again',
  down: 'is down, and is asked last',
  known_only: 'is passed over for somebody new',
  paused: 'is paused',
  unusable: 'cannot be used: its config cannot be read',
  country: 'is not for this country',
  purpose: 'does not send messages',
  number: 'has another number than the chat',
} as const;

const SENT_BY = {
  account: 'by connections of the account',
  shared: 'by shared connections',
  sandbox: 'by the sandbox',
  nobody: 'by nobody: it fails with no_route',
} as const;

function readablePreview({ recipient, country, encoding, segments, credits, costly, legs }: SendPreviewData): string {
  const size = `${segments} segment${segments === 1 ? '' : 's'} of ${encoding === 'gsm7' ? 'GSM 7' : 'UCS-2'}`;
  return [
    `to ${recipient}${country === null ? '' : ` (${country})`}: ${size}, ${credits} credit${credits === 1 ? '' : 's'}`,
    ...costly.map(
      ({ character, codePoint, count, cost }) =>
        `  ${character} ${codePoint} (${count === 1 ? 'once' : `${count} times`}) ${COSTS[cost]}`,
    ),
    ...legs.flatMap(({ channel, from, refusal, windowClosesAt, sentBy, sandboxReason, connections }) => [
      `${channel} from ${from}, ${SENT_BY[sentBy]}`,
      ...(refusal === null ? [] : [`  ${refusal}`]),
      ...(sandboxReason === null ? [] : [`  ${sandboxReason}`]),
      ...(windowClosesAt === null ? [] : [`  free text until ${windowClosesAt}`]),
      ...connections.map(
        ({ connectionId, name, provider, verdict, reason }) =>
          `  ${connectionId} ${name} (${provider}) ${VERDICTS[verdict]}${reason === null ? '' : `: ${reason}`}`,
      ),
    ]),
  ].join('\n');
}
