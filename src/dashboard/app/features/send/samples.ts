/** The draft as a question for programs. */
import type { Asked } from '../../ui/samples.ts';
import { type Draft, messageInput, otpInput } from './draft.ts';

const SEND_MESSAGE = `mutation SendMessage($input: SendMessageInput!) {
  sendMessage(input: $input) {
    messageId
    status
    channel
    attempts { channel provider status errorCode credits }
  }
}`;

const SEND_OTP = `mutation SendOtp($input: SendOtpInput!) {
  sendOtp(input: $input) {
    pinId
    status
    expiresAt
    attempts { channel provider status errorCode credits }
  }
}`;

/** The mutation that would send the draft. */
export function askedOf(given: Draft): Asked {
  // The sample runs as it stands, before anything is filled in.
  const draft = { ...given, to: given.to.trim() || '+12025550100', text: given.text.trim() ? given.text : 'Hello' };
  return draft.kind === 'otp'
    ? { query: SEND_OTP, variables: { input: otpInput(draft) }, area: 'unified' }
    : { query: SEND_MESSAGE, variables: { input: messageInput(draft) }, area: 'unified' };
}
