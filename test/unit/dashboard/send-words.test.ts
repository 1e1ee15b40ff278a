import { describe, expect, test } from 'vitest';
import type { SendRowFragment } from '../../../src/dashboard/app/api/operations.generated.ts';
import { partiesOf } from '../../../src/dashboard/app/features/logs/parties.ts';
import { factsOf, outcomeWord } from '../../../src/dashboard/app/features/logs/sends/send-words.ts';

type Entry = SendRowFragment['entries'][number];

function entry(minute: number, given: Partial<Entry> = {}): Entry {
  return {
    id: `att_${minute}`,
    type: 'MESSAGE_ATTEMPT',
    createdAt: `2026-11-24T12:0${minute}:00.000Z`,
    channel: 'SMS',
    status: 'SENT',
    recipient: '12025550100',
    sender: 'ACME',
    provider: 'sandbox',
    reference: null,
    errorCode: null,
    errorMessage: null,
    credits: 0,
    ...given,
  };
}

const send = (status: SendRowFragment['status'], ...entries: Entry[]): SendRowFragment => ({
  id: 'att_0',
  messageId: null,
  pinId: 'pin_0',
  status,
  entries,
});

test('a text that came in is from the person, and a send is to them', () => {
  const row = { recipient: '12025550100', sender: 'ACME' };
  expect(partiesOf(row, true)).toEqual({ to: 'ACME', from: '12025550100' });
  expect(partiesOf(row, false)).toEqual({ to: '12025550100', from: 'ACME' });
});

describe('a send in short', () => {
  test('says how it went, alike steps once', () => {
    const chat = { type: 'OTP_ATTEMPT', channel: 'CHAT_QR', status: 'FAILED', errorCode: 'not_linked' } as const;
    const wrong = { type: 'OTP_INCORRECT', status: 'FAILED', errorCode: 'otp_incorrect' } as const;
    const { course } = factsOf(
      send(
        'VERIFIED',
        entry(0, chat),
        entry(1),
        entry(2),
        entry(3, wrong),
        entry(4, wrong),
        entry(5, { type: 'OTP_VERIFIED' }),
      ),
    );
    expect(course).toBe('QR chat failed → SMS sent 2× → 2 wrong codes → verified');
  });

  test('has an error only where it went no better', () => {
    const error = { errorCode: 'recipient_refused', errorMessage: 'The recipient does not take texts.' };
    const failed = entry(0, { status: 'FAILED', ...error });
    expect(factsOf(send('FAILED', failed))).toMatchObject(error);
    expect(factsOf(send('DELIVERED', failed, entry(1, { status: 'DELIVERED' }))).errorCode).toBeNull();
  });

  test.each([
    ['DELIVERED', entry(1), 'text delivered'],
    ['EXPIRED', entry(1), 'text expired'],
    ['EXPIRED', entry(1, { type: 'OTP_EXPIRED' }), 'expired'],
    ['VERIFIED', entry(1, { type: 'OTP_VERIFIED' }), 'verified'],
    ['BLOCKED', entry(1, { type: 'OTP_BLOCKED' }), 'blocked'],
  ] as const)('of a passcode says whether %s is of its text', (status, last, word) => {
    expect(outcomeWord(send(status, entry(0, { type: 'OTP_ATTEMPT' }), last))).toBe(word);
  });

  test('of a message needs no such word', () => {
    expect(outcomeWord({ ...send('DELIVERED', entry(0)), messageId: 'msg_0', pinId: null })).toBe('delivered');
  });

  test('began with its oldest entry, whatever the route says, and costs the sum', () => {
    const facts = factsOf(send('SENT', entry(3, { credits: 2 }), entry(1, { credits: 1 })));
    expect(facts).toMatchObject({ createdAt: '2026-11-24T12:01:00.000Z', credits: 3, kind: 'passcode' });
  });
});
