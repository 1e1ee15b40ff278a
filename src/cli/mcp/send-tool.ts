/** The tool of an assistant that sends, after a dry run of the very same send. */
import { z } from 'zod';
import { sendMessageInput } from '../../modules/messaging/send-message.input.ts';
import { OPERATIONS } from '../operations/operations.generated.ts';
import { Refusal } from '../refusal.ts';
import { createConfirmations } from './confirmations.ts';
import { messageOf, previewTool, SENDERS, type Tool, tool } from './tools.ts';

/** The dry run and the send, which know each other's confirmations. One confirmation sends one message, however often it is used. */
export function sendingTools(): readonly Tool[] {
  const confirmations = createConfirmations();
  const send = tool({
    name: 'send_message',
    description:
      'Sends a message to a person, which may cost money and cannot be taken back. Run preview_message first, show its result to your user, and give its confirmation with the very same input.',
    openers: SENDERS,
    isSending: true,
    input: sendMessageInput.safeExtend({
      confirmation: z.string().describe('The confirmation that preview_message answered for this very input'),
    }),
    async run({ operator, accountId }, { confirmation, ...input }) {
      const nonce = confirmations.nonceOf(confirmation, input);
      if (nonce === null)
        throw new Refusal(
          'invalid_input',
          'confirmation: is none of this very input: run preview_message with the same values, and give what it answers.',
        );
      const message = { ...messageOf(input), reference: input.reference ?? nonce };
      return operator.run(OPERATIONS.sendMessage, { input: message }, accountId);
    },
  });
  return [previewTool(confirmations.give), send];
}
