import { describe, expect, test } from 'vitest';
import type { SendOutcome } from '../../../../src/channels/outcome.ts';
import type { Channel } from '../../../../src/kernel/channel.ts';
import { messageData } from '../../../../src/modules/answers/message.data.ts';
import { acceptedOutcome, type Script, scriptedProviders } from '../../../support/app.ts';
import { setUpApp, setUpCustomer } from '../../../support/fixtures.ts';
import { EVERY_CHANNEL } from '../../../support/messaging/send-cases.ts';

const on = setUpApp({ providers: scriptedProviders((request, signal) => script(request, signal)) });
const customer = setUpCustomer(on);
let script: Script = acceptedOutcome;

async function send(deliveryMode: 'all' | 'fallback') {
  const { status, body } = await on.rest('POST', '/api/omni/send', {
    token: customer.tokens.unified,
    body: { ...EVERY_CHANNEL, deliveryMode },
  });
  return { status, data: messageData.parse(body.data) };
}

const refused: SendOutcome = { kind: 'rejected', code: 'refused', message: 'No.' };

describe('the mode all', () => {
  test('calls every provider at the same time', async () => {
    const called: Channel[] = [];
    const together = Promise.withResolvers<void>();
    // None of them answers before all have been called: one after another, this would never end.
    script = async ({ channel }) => {
      called.push(channel);
      if (called.length === 3) together.resolve();
      await together.promise;
      return acceptedOutcome();
    };
    const { status, data } = await send('all');
    expect(status).toBe(200);
    expect(called).toHaveLength(3);
    expect(data).toMatchObject({ status: 'sent', channel: 'chat_qr' });
  });

  test('names the first accepted channel of the request, whichever answered first', async () => {
    const smsAnswered = Promise.withResolvers<void>();
    script = async ({ channel }) => {
      if (channel === 'chat_qr') return refused;
      if (channel === 'sms') smsAnswered.resolve();
      else await smsAnswered.promise;
      return acceptedOutcome();
    };
    expect((await send('all')).data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  });

  test('is unknown where nothing was accepted and one outcome is not known', async () => {
    script = ({ channel }) =>
      channel === 'chat_cloud' ? { kind: 'unknown', code: 'timeout', message: 'No answer.' } : refused;
    const { status, data } = await send('all');
    expect(status).toBe(200);
    expect(data).toMatchObject({ status: 'unknown', channel: null });
    expect(data.attempts.map(attempt => attempt.status)).toEqual(['failed', 'unknown', 'failed']);
  });
});

describe('the mode fallback', () => {
  test('calls the next provider only when the one before has failed, and none after one that accepted', async () => {
    const called: Channel[] = [];
    script = ({ channel }) => {
      called.push(channel);
      return channel === 'chat_qr' ? refused : acceptedOutcome();
    };
    const { data } = await send('fallback');
    expect(called).toEqual(['chat_qr', 'chat_cloud']);
    expect(data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
  });

  test.each<[string, SendOutcome | Error, string, string]>([
    ['is not available', { kind: 'unavailable', code: 'down', message: 'Down.' }, 'failed', 'down'],
    ['does not know the outcome', { kind: 'unknown', code: 'timeout', message: 'No answer.' }, 'unknown', 'timeout'],
    ['throws', new Error('select 1 from secrets at 10.0.0.1'), 'unknown', 'provider_error'],
  ])('goes on where a provider %s', async (_name, outcome, status, errorCode) => {
    script = ({ channel }) => {
      if (channel !== 'chat_qr') return acceptedOutcome();
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
    const { data } = await send('fallback');
    expect(data).toMatchObject({ status: 'sent', channel: 'chat_cloud' });
    expect(data.attempts[0]).toMatchObject({ status, errorCode, credits: 0 });
  });

  test('hands an attempt over again after throttling, as one attempt', async () => {
    const tries: number[] = [];
    script = ({ tryNumber }) => {
      tries.push(tryNumber);
      return tryNumber === 1
        ? { kind: 'throttled', code: 'throttled', message: 'Slowly.', retryAfterMs: 1 }
        : acceptedOutcome();
    };
    const { data } = await send('fallback');
    expect(tries).toEqual([1, 2]);
    expect(data.attempts).toHaveLength(1);
  });
});
