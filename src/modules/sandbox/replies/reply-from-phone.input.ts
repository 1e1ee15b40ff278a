/** The input of the verb *reply from phone*. */
import { z } from 'zod';
import { messageTextInput, TEXT_LENGTH_MAX } from '../../routing/route.input.ts';

/** The input of `replyFromPhone`. */
export const sandboxReplyInput = z
  .strictObject({
    phone: z.string().meta({ description: 'The phone that writes, a number with country code' }),
    to: z.string().max(255).meta({ description: 'The sender of the account that it writes to, a number or a name' }),
    text: messageTextInput.meta({ description: `What it writes, 1 to ${TEXT_LENGTH_MAX} characters` }),
  })
  .meta({ id: 'SandboxReplyInput', description: 'What a phone of the sandbox writes' });

/** A valid input of `replyFromPhone`. */
export type SandboxReplyInput = z.output<typeof sandboxReplyInput>;
