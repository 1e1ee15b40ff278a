/** Which fields show a phone number or what somebody wrote: a person with the role viewer sees them masked. */

/**
 * `number`: a phone number, of which the country code and the last two digits stay. `text`: what somebody wrote, which is left out.
 * `words`: a sentence of ours or of the account's people, whose numbers are taken out. `told`: what a provider said, in whose
 * place our sentence for the `errorCode` beside it stands. `retold`: a sentence of ours, or the `errorMessage` beside it.
 */
export type Reveals = 'number' | 'text' | 'words' | 'told' | 'retold';

/** By the name of the type and its field. A test walks the schema for fields that are missing here. */
export const REVEALS: Readonly<Record<string, Reveals>> = {
  'Message.recipient': 'number',
  'Message.text': 'text',
  'Attempt.errorMessage': 'told',
  'LogEntry.recipient': 'number',
  'LogEntry.errorMessage': 'told',
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
  // A second lock: no field that viewers may ask leads to these today.
  'SandboxMessage.to': 'number',
  'SandboxMessage.text': 'text',
  'SandboxCode.code': 'text',
  'SandboxAbout.code': 'text',
  'SandboxPhone.number': 'number',
  'SendPreview.recipient': 'number',
  'SendPreview.smsText': 'text',
};
