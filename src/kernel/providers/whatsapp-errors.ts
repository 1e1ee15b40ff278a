/**
 * The errors of WhatsApp's cloud API: whose fault each is, which decides what follows, and our own sentence for it. Meta's own words stand beside
 * the sentence for those who may read texts. A code that is not here is the connection's, so that the next one is asked.
 */

/**
 * Whose fault an error is. `recipient`, and `template` for the text or its template: no connection of the channel helps, and the next channel follows.
 * `connection`: the next connection may help, also where the business has no such template. `pace`: later helps. `provider`: Meta failed, took nothing, and another connection is asked.
 */
export type WhatsAppFault = 'recipient' | 'template' | 'connection' | 'pace' | 'provider';

interface WhatsAppError {
  readonly fault: WhatsAppFault;
  readonly sentence: string;
}

const error = (fault: WhatsAppFault, sentence: string): WhatsAppError => ({ fault, sentence });

/** The errors by Meta's code (its page "Error codes", and those of the webhooks of statuses). */
export const WHATSAPP_ERRORS: ReadonlyMap<number, WhatsAppError> = new Map([
  [0, error('connection', 'Meta does not accept the access token.')],
  [1, error('provider', 'Meta had a fault of its own and took nothing.')],
  [2, error('provider', 'Meta is not available for now.')],
  [3, error('connection', 'The app lacks a right at Meta.')],
  [4, error('pace', 'The app has asked Meta too often.')],
  [10, error('connection', 'The access token lacks a right at Meta.')],
  [33, error('connection', 'Meta does not know the phone number id.')],
  [100, error('template', 'Meta does not accept a field of the message.')],
  [190, error('connection', 'The access token of the connection has ended.')],
  [200, error('connection', 'The access token lacks a right at Meta.')],
  [368, error('connection', 'Meta has blocked the business for breaking a policy.')],
  [80007, error('pace', 'The business has sent more than Meta takes at once.')],
  [130403, error('recipient', 'Meta does not let this business write to the recipient.')],
  [130429, error('pace', 'The number has sent more than Meta takes at once.')],
  [130472, error('recipient', 'Meta holds marketing messages back from this recipient, as part of an experiment.')],
  [130497, error('connection', 'Meta does not let this business write to the country of the recipient.')],
  [131000, error('provider', 'Meta had a fault of its own and took nothing.')],
  [131005, error('connection', 'The access token lacks a right at Meta.')],
  [131008, error('template', 'The message lacks a field that Meta needs.')],
  [131009, error('template', 'Meta does not accept a value of the message.')],
  [131016, error('provider', 'Meta is not available for now.')],
  [131021, error('recipient', 'The recipient is the number that sends.')],
  [131026, error('recipient', 'The recipient cannot be reached on WhatsApp.')],
  [131030, error('connection', 'The number is one for tests, and may not write to this recipient.')],
  [131031, error('connection', 'Meta has locked the business account.')],
  [131037, error('connection', 'The number lacks a display name that Meta has approved.')],
  [131042, error('connection', 'Meta wants a means of payment for the business account.')],
  [131045, error('connection', 'The number is not registered at Meta.')],
  [
    131047,
    error('recipient', 'More than 24 hours have passed since the recipient wrote: only a template may be sent.'),
  ],
  [131048, error('connection', 'Meta has limited the number, because people reported its messages.')],
  [131049, error('recipient', 'Meta held the message back, for the good of the recipient.')],
  [131050, error('recipient', 'The recipient wants no marketing messages of this business.')],
  [131051, error('template', 'Meta does not take messages of this kind.')],
  [131052, error('template', 'Meta could not fetch the media of the message.')],
  [131053, error('template', 'Meta could not take in the media of the message.')],
  [131056, error('pace', 'Too many messages went to this recipient in a short time.')],
  [131057, error('connection', 'The business account is under maintenance at Meta.')],
  [131062, error('recipient', 'A template with a code needs the phone number of the recipient.')],
  [132000, error('template', 'The template wants another number of parameters.')],
  [132001, error('connection', 'The template does not exist in this language, or is not approved.')],
  [132005, error('template', 'The text of the template with its parameters is too long.')],
  [132007, error('template', 'The template breaks a policy of WhatsApp.')],
  [132012, error('template', 'A parameter does not have the form that the template wants.')],
  [132015, error('connection', 'Meta has paused the template for its quality.')],
  [132016, error('connection', 'Meta has disabled the template for its quality.')],
  [132018, error('template', 'A parameter has a line break, a tab or more than four blanks.')],
  [132068, error('template', 'The flow of the template is blocked.')],
  [132069, error('template', 'The flow of the template is throttled.')],
  [133004, error('provider', 'Meta is not available for now.')],
  [133006, error('connection', 'The number must be verified at Meta.')],
  [133010, error('connection', 'The number is not registered at Meta.')],
]);

/** Our sentence for a code of Meta's. */
export function whatsAppSentence(code: number): string {
  return WHATSAPP_ERRORS.get(code)?.sentence ?? `WhatsApp refused it with its error ${code}.`;
}
