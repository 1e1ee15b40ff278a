import { describe, expect, test } from 'vitest';
import { messageResource, type OwnMessage } from '../../../../src/rest/doors/twilio/message-resource.ts';

type OwnAttempt = OwnMessage['attempts'][number];

const second = (at: number): Date => new Date(Date.UTC(2026, 10, 22, 4, 0, at));
const twilioTime = (at: number): string => `Sun, 22 Nov 2026 04:00:0${at} +0000`;

const REFUSED: OwnAttempt = {
  status: 'FAILED',
  errorCode: 'connection_failed',
  errorMessage: 'The connection was refused.',
  credits: 0,
  finishedAt: second(1),
};
const LOST: OwnAttempt = {
  status: 'EXPIRED',
  errorCode: 'twilio_30003',
  errorMessage: 'The phone was off.',
  credits: 1,
  finishedAt: second(2),
};

function resourceOf(more: Partial<OwnMessage>) {
  const message: OwnMessage = {
    messageId: `msg_${'0'.repeat(32)}`,
    recipient: '12025550100',
    text: 'Hello',
    sender: 'ACME',
    chatFrom: null,
    status: 'SENT',
    segments: 1,
    attempts: [],
    createdAt: second(0),
    ...more,
  };
  return messageResource(`AC${'0'.repeat(32)}`, message);
}

test.each(['50051234', '6834002', '29051234', '6903101', '12025550100'])('a recipient %s has its plus', recipient => {
  expect(resourceOf({ recipient })).toMatchObject({ to: `+${recipient}` });
});

test('a chat number has its plus, and a short code as a sender none', () => {
  expect(resourceOf({ sender: null, chatFrom: '50051234' })).toMatchObject({ from: '+50051234' });
  expect(resourceOf({ sender: '50051234' })).toMatchObject({ from: '50051234' });
});

describe('a message of several attempts in the form of Twilio', () => {
  test('has the reason of the last one, and was sent when a provider accepted it', () => {
    expect(resourceOf({ status: 'EXPIRED', attempts: [REFUSED, LOST] })).toMatchObject({
      status: 'undelivered',
      error_code: 30003,
      error_message: 'The phone was off.',
      date_sent: twilioTime(2),
    });
  });

  test('was sent, too, where it is reported failed afterwards', () => {
    const attempts = [REFUSED, { ...LOST, status: 'FAILED' as const }];
    expect(resourceOf({ status: 'FAILED', attempts })).toMatchObject({ date_sent: twilioTime(2) });
  });

  test('was sent by the one that was accepted behind one that was not', () => {
    const attempts: OwnAttempt[] = [
      REFUSED,
      { status: 'SENT', errorCode: null, errorMessage: null, credits: 1, finishedAt: second(2) },
    ];
    expect(resourceOf({ attempts })).toMatchObject({ error_code: null, date_sent: twilioTime(2) });
  });

  test('was never sent where none was accepted', () => {
    const attempts = [REFUSED, { ...REFUSED, errorMessage: 'No credit left.', finishedAt: second(2) }];
    expect(resourceOf({ status: 'FAILED', attempts })).toMatchObject({
      date_sent: null,
      error_message: 'No credit left.',
    });
  });
});
