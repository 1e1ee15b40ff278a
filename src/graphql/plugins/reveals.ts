/** The fields that show a phone number, a person's text, or a code. Roles without the right to see it see them masked. */
import type { Right } from '../../kernel/role.ts';

/**
 * `number`: a phone number, of which the country code and the last two digits stay. `text`: what somebody wrote, which is left out.
 * `code`: a code, or a text that may hold one, which is left out.
 * `words`: a sentence of ours or of the account's people, whose numbers are taken out. `told`: what a provider said, in whose
 * place our sentence for the `errorCode` beside it stands. `retold`: a sentence of ours, or the `errorMessage` beside it.
 */
export type Reveals = 'number' | 'text' | 'code' | 'words' | 'told' | 'retold';

/** The right that shows each of them as it is. */
export const SEEN_BY: Readonly<Record<Reveals, Right>> = {
  number: 'numbers',
  text: 'texts',
  code: 'codes',
  words: 'numbers',
  told: 'texts',
  retold: 'texts',
};

/** By the name of the type and its field. A test walks the schema for fields that are missing here. */
export const REVEALS: Readonly<Record<string, Reveals>> = {
  'Message.recipient': 'number',
  'Message.text': 'text',
  'Attempt.errorMessage': 'told',
  'LogEntry.recipient': 'number',
  'LogEntry.errorMessage': 'told',
  'Suppression.to': 'number',
  'Suppression.reason': 'words',
  'RecipientExport.to': 'number',
  'RecipientExport.addresses': 'number',
  'RecipientRecord.row': 'text',
  'InboundMessage.from': 'number',
  // Names of people, as a number is.
  'InboundMessage.fromUserId': 'text',
  'InboundMessage.username': 'text',
  'InboundMessage.text': 'text',
  'Person.to': 'number',
  'Person.name': 'text',
  'PersonAddress.value': 'number',
  'PersonNote.text': 'text',
  'TimelineEntry.errorMessage': 'told',
  // Repeats the message of an error.
  'TimelineEntry.reason': 'retold',
  'LedgerEntry.reason': 'words',
  'Otp.recipient': 'number',
  'WebhookDelivery.body': 'text',
  'WebhookEvent.body': 'text',
  'WebhookTry.response': 'text',
  'WebhookTry.errorMessage': 'words',
  'AuditEntry.details': 'text',
  'ProviderConnection.config': 'text',
  'ChatSession.error': 'words',
  'LinkStep.code': 'code',
  'LinkStep.picture': 'code',
  'LinkStep.error': 'words',
  // A second lock: no field that those without the right may ask leads to these today.
  'SandboxMessage.to': 'number',
  'SandboxMessage.text': 'code',
  'SandboxCode.code': 'code',
  'SandboxAbout.code': 'code',
  'SandboxPhone.number': 'number',
  'SendPreview.recipient': 'number',
  'SendPreview.smsText': 'text',
};
