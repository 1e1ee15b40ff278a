/**
 * Preloaded into a gateway (`node --import`): its sandbox takes a while over every message, another one for each, before it has
 * it and after. It refuses chats, and SMS to recipients that end with a 7.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { sandbox } from '../../../src/channels/sandbox/provider.ts';

/** The longest that it takes before, and after. */
const DELAY_MAX_MS = 150;

const { create } = sandbox;
const linger = () => wait(Math.random() * DELAY_MAX_MS);

Object.assign(sandbox, {
  create(...given: Parameters<typeof create>): ReturnType<typeof create> {
    const provider = create(...given);
    return {
      ...provider,
      async send(request, signal) {
        await linger();
        if (request.channel !== 'sms' || request.to.endsWith('7'))
          return { kind: 'rejected', code: 'refused', message: 'Refused.' };
        const outcome = await provider.send(request, signal);
        await linger();
        return outcome;
      },
    };
  },
});
