/**
 * Why an attempt failed, in the gateway's own words: one sentence for each code. A provider may quote the text in its own words:
 * only readers of texts are told those. This sentence stays when the text is blanked. The page docs/errors.md lists the codes.
 */

import { whatsAppSentence } from './providers/whatsapp-errors.ts';

/** By the code. */
const SENTENCES = {
  no_route: 'No connection takes this.',
  sender_not_possible: 'An SMS to this country cannot come from a name.',
  insufficient_balance: 'The SMS could not be paid.',
  text_not_possible: 'The text cannot stand where the address of the gateway wants it.',
  template_paused: 'The template is paused.',
  template_rejected: 'The template was rejected.',
  template_disabled: 'The template is disabled.',
  template_missing: 'The template is not there in this language.',
  recipient_suppressed: 'The recipient wants no messages of this account.',
  recipient_refused: 'The recipient does not take SMS.',
  recipient_not_found: 'The recipient is not on this chat.',
  throttled: 'The provider takes no more for now.',
  not_connected: 'The number is not connected to the chat.',
  no_ack: 'The chat did not acknowledge it in time.',
  number_restricted: 'The chat lets this number write to nobody new.',
  number_locked: 'The chat lets this number write to nobody new for now.',
  number_capped: 'The chat lets this number begin no more chats for now.',
  new_people_limit: 'The number has written to as many new people today as its age allows.',
  timeout: 'The provider did not answer in time.',
  connection_broken: 'The connection to the provider broke off.',
  provider_error: 'The provider call broke off.',
  connection_down: 'The connection is down, and nothing is sent by it for now.',
  not_bound: 'No session with the SMSC is open.',
  connection_failed: 'The provider cannot be reached.',
  connection_closed: 'The connection was removed or changed a moment ago.',
  answer_unreadable: 'The answer does not say whether the provider took it.',
  answer_too_long: 'The answer of the provider is too long to be read.',
  vonage_partial: 'Vonage took only some of the parts.',
  window_full: 'The SMSC does not take more at once.',
  invalid_address: 'The sender is none that an SMSC can take.',
  interrupted: 'The gateway stopped while the provider was asked.',
  not_accepted: 'The send was not accepted, and this channel was not asked.',
  country_not_allowed: 'The account sends no passcodes to this country.',
  number_type_refused: 'A number of this kind takes no passcode by SMS.',
  too_many_unverified: 'Too few of the passcodes to this place were verified.',
  otp_incorrect: 'The code was wrong.',
  otp_expired: 'The code was given after its time.',
  otp_cancelled: 'A newer code had been sent.',
  otp_blocked: 'Too many wrong codes had been given.',
  otp_key_unknown: 'The key of the code is not known any more.',
  rate_limited: 'Too many wrong codes for this recipient, from this address or of this account.',
} as const;

/** A code of the gateway itself. */
export type OwnCode = keyof typeof SENTENCES;

/** Codes that repeat a provider's own. The number or name of it is told, and nothing else of what it said. */
const PROVIDER_CODES: readonly (readonly [code: RegExp, sentence: (own: string) => string])[] = [
  [/^(undelivered)$/, () => 'The provider reported that it was not delivered.'],
  [/^http_([1-9][0-9]{2})$/, own => `The provider answered ${own}.`],
  [/^twilio_([0-9]{1,10})$/, own => `Twilio refused it with its error ${own}.`],
  [/^vonage_([0-9]{1,5})$/, own => `Vonage refused it with its status ${own}.`],
  [/^whatsapp_([0-9]{1,10})$/, own => whatsAppSentence(Number(own))],
  [/^chat_([0-9]{1,5})$/, own => `The chat refused it with its error ${own}.`],
  [/^vonage_dlr_([0-9]{1,5})$/, own => `Vonage reports its error ${own}.`],
  [/^(esme_[a-z]{1,32}|0x[0-9a-f]{8})$/, own => `The SMSC answered ${own.startsWith('0x') ? own : own.toUpperCase()}.`],
];

/** The sentence for a code that is nobody's. */
const UNKNOWN = 'The provider refused it.';

/** The codes of the gateway itself. */
export const OWN_CODES: readonly string[] = Object.keys(SENTENCES);

function isOwn(code: string | null): code is OwnCode {
  return code !== null && Object.hasOwn(SENTENCES, code);
}

/** The gateway's own sentence for the code of a failed attempt. @param code null: none was told */
export function sentenceOf(code: string | null): string {
  if (isOwn(code)) return SENTENCES[code];
  for (const [pattern, sentence] of PROVIDER_CODES) {
    const [, own] = pattern.exec(code ?? '') ?? [];
    if (own !== undefined) return sentence(own);
  }
  return UNKNOWN;
}

/** The message of a failure for readers who may see no texts, and for the process log. A provider's own words are left out. */
export function publicMessage({ code, message }: { readonly code: string; readonly message: string }): string {
  return isOwn(code) ? message : sentenceOf(code);
}

/** A reason of a provider that is kept as a code: one word. A sentence could be a piece of the text. */
const CODE = /^[\w.:-]{1,64}$/;

/** Whether what a provider gives as a code is one. */
export function isCode(word: string): boolean {
  return CODE.test(word);
}
