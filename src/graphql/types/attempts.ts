/** Attempts in GraphQL. */
import { attemptData } from '../../modules/answers/attempt.data.ts';
import type { ChannelAttempt } from '../../modules/routing/attempt.entity.ts';
import { builder } from '../builder.ts';
import { fieldsFrom } from '../from-zod.ts';
import { CONNECTION_FIELD, PRICING_FIELD } from './attempt-connection.ts';
import '../enums.ts';

/** `Attempt` */
export const AttemptRef = builder.objectRef<ChannelAttempt>('Attempt').implement({
  description: 'One try to hand a message or a passcode to one provider over one channel.',
  fields: t => ({
    id: t.member('id', 'ID', 'The same as `attemptId`, for client caches.'),
    connection: t.field(CONNECTION_FIELD),
    pricing: t.field(PRICING_FIELD),
    ...fieldsFrom(
      t,
      attemptData,
      { attemptId: attempt => attempt.id },
      `id accountId area type messageId pinId resend recipient country sender reference providerMessageId
      passedOver reportedAt deliveredAt endedAs pricing connectionId failsOver`,
    ),
  }),
});
