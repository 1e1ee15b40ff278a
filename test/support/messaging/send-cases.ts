/** Sends and their outcomes, told once for both transports. */

/** A template that the cloud number takes. */
export const TEMPLATE = { name: 'hello', language: 'en_US' } as const;

/** A send by SMS that the sandbox accepts. */
export const SMS = { to: '+12025550100', text: 'Hello', sender: 'ACME' } as const;

/** The fields of every channel, as the accounts of the tests have them. */
export const EVERY_CHANNEL = { ...SMS, chatFrom: '15550000001', cloudTemplate: TEMPLATE } as const;

/** A body in the words of REST. */
export type SendBody = Readonly<Record<string, unknown>>;

/** Bodies that are refused with `invalid_input`, and the fields that are named. Those with `typed` GraphQL's own types refuse as well. */
export const INVALID_SENDS: readonly {
  readonly name: string;
  readonly body: SendBody;
  readonly fields: readonly string[];
  readonly typed?: boolean;
}[] = [
  { name: 'no recipient', body: { text: 'Hello', sender: 'ACME' }, fields: ['to'] },
  {
    name: 'no recipient, and a channel twice',
    body: { text: 'Hello', sender: 'ACME', channels: ['sms', 'sms'] },
    fields: ['channels', 'to'],
  },
  { name: 'a number as the recipient', body: { ...SMS, to: 12025550100 }, fields: ['to'], typed: true },
  { name: 'null as the recipient', body: { ...SMS, to: null }, fields: ['to'] },
  { name: 'an empty recipient', body: { ...SMS, to: '' }, fields: ['to'] },
  { name: 'a national number', body: { ...SMS, to: '0301234567' }, fields: ['to'] },
  { name: 'a recipient that is no number', body: { ...SMS, to: 'nobody' }, fields: ['to'] },
  { name: 'a recipient that is too short', body: { ...SMS, to: '+1202' }, fields: ['to'] },
  { name: 'no text', body: { to: SMS.to, sender: 'ACME' }, fields: ['text'], typed: true },
  { name: 'an empty text', body: { ...SMS, text: '' }, fields: ['text'] },
  { name: 'a text of 1,601 characters', body: chat('a'.repeat(1_601)), fields: ['text'] },
  { name: 'a text of 1,601 characters of two units', body: chat('😀'.repeat(1_601)), fields: ['text'] },
  { name: 'a text of eleven segments', body: { ...SMS, text: 'a'.repeat(1_531) }, fields: ['text'] },
  { name: 'a text of eleven segments in UCS-2', body: { ...SMS, text: 'ш'.repeat(671) }, fields: ['text'] },
  { name: 'NUL in the text', body: { ...SMS, text: 'a\u0000b' }, fields: ['text'] },
  { name: 'half a character in the text', body: { ...SMS, text: 'a\ud800' }, fields: ['text'] },
  { name: 'no channel in the list', body: { ...SMS, channels: [] }, fields: ['channels'] },
  { name: 'a channel twice', body: { ...SMS, channels: ['sms', 'sms'] }, fields: ['channels'] },
  { name: 'an unknown channel', body: { ...SMS, channels: ['fax'] }, fields: ['channels.0'], typed: true },
  { name: 'channels that are no list', body: { ...SMS, channels: 7 }, fields: ['channels'], typed: true },
  { name: 'nothing that names a channel', body: { to: SMS.to, text: 'Hello' }, fields: ['channels'] },
  { name: 'an unknown delivery mode', body: { ...SMS, deliveryMode: 'both' }, fields: ['deliveryMode'], typed: true },
  ...[14, 3_601, 30.5, '30', 0, -30].map(fallbackAfter => ({
    name: `${JSON.stringify(fallbackAfter)} as fallbackAfter`,
    body: { ...EVERY_CHANNEL, fallbackAfter },
    fields: ['fallbackAfter'],
    typed: typeof fallbackAfter === 'string' || !Number.isInteger(fallbackAfter),
  })),
  {
    name: 'a status that no channel is waited for',
    body: { ...EVERY_CHANNEL, fallbackAfter: 30, successStatus: 'sent' },
    fields: ['successStatus'],
    typed: true,
  },
  { name: 'chat_qr without chatFrom', body: { ...SMS, channels: ['chat_qr'] }, fields: ['chatFrom'] },
  { name: 'sms without sender', body: { to: SMS.to, text: 'Hello', channels: ['sms'] }, fields: ['sender'] },
  { name: 'chat_cloud without its template', body: { ...SMS, channels: ['chat_cloud'] }, fields: ['cloudTemplate'] },
  {
    name: 'every channel without its fields',
    body: { to: SMS.to, text: 'Hello', channels: ['chat_qr', 'chat_cloud', 'sms'] },
    fields: ['chatFrom', 'cloudTemplate', 'sender'],
  },
  { name: 'an empty sender', body: { ...SMS, sender: '' }, fields: ['sender'] },
  { name: 'NUL in the sender', body: { ...SMS, sender: 'A\u0000' }, fields: ['sender'] },
  { name: 'an empty chatFrom', body: { ...SMS, chatFrom: '' }, fields: ['chatFrom'] },
  { name: 'a template that is no object', body: { ...SMS, cloudTemplate: 7 }, fields: ['cloudTemplate'], typed: true },
  {
    name: 'a template without a language',
    body: { ...SMS, cloudTemplate: { name: 'hello' } },
    fields: ['cloudTemplate.language'],
    typed: true,
  },
  {
    name: 'a component that is no object',
    body: { ...SMS, cloudTemplate: { ...TEMPLATE, components: [1] } },
    fields: ['cloudTemplate.components.0'],
    typed: true,
  },
  {
    name: 'NUL inside a component',
    body: { ...SMS, cloudTemplate: { ...TEMPLATE, components: [{ text: ['\u0000'] }] } },
    fields: ['cloudTemplate.components'],
  },
  { name: 'an empty reference', body: { ...SMS, reference: '' }, fields: ['reference'] },
  { name: 'a reference with a space', body: { ...SMS, reference: 'a b' }, fields: ['reference'] },
  { name: 'a reference of 256 characters', body: { ...SMS, reference: 'r'.repeat(256) }, fields: ['reference'] },
  { name: 'two faults at once', body: { ...SMS, to: 'x', text: '' }, fields: ['to', 'text'] },
];

function chat(text: string): SendBody {
  return { to: SMS.to, text, chatFrom: '15550000001' };
}

/** Every magic recipient in both modes over all channels in the order of the documentation: what is answered. */
export const MAGIC_SENDS: readonly {
  readonly to: string;
  readonly mode: 'fallback' | 'all';
  readonly status: 'sent' | 'failed' | 'unknown';
  readonly channel: string | null;
  readonly attempts: readonly string[];
}[] = [
  { to: '12025550100', mode: 'fallback', status: 'sent', channel: 'chat_qr', attempts: ['chat_qr sent'] },
  { to: '12025550100', mode: 'all', status: 'sent', channel: 'chat_qr', attempts: three('sent', 'sent', 'sent') },
  { to: '12025550101', mode: 'fallback', status: 'sent', channel: 'chat_qr', attempts: ['chat_qr sent'] },
  { to: '12025550101', mode: 'all', status: 'sent', channel: 'chat_qr', attempts: three('sent', 'sent', 'failed') },
  {
    to: '12025550102',
    mode: 'fallback',
    status: 'sent',
    channel: 'chat_cloud',
    attempts: ['chat_qr failed', 'chat_cloud sent'],
  },
  { to: '12025550102', mode: 'all', status: 'sent', channel: 'chat_cloud', attempts: three('failed', 'sent', 'sent') },
  {
    to: '12025550103',
    mode: 'fallback',
    status: 'sent',
    channel: 'sms',
    attempts: three('failed', 'failed', 'sent'),
  },
  { to: '12025550103', mode: 'all', status: 'sent', channel: 'sms', attempts: three('failed', 'failed', 'sent') },
  {
    to: '12025550104',
    mode: 'fallback',
    status: 'failed',
    channel: null,
    attempts: three('failed', 'failed', 'failed'),
  },
  { to: '12025550104', mode: 'all', status: 'failed', channel: null, attempts: three('failed', 'failed', 'failed') },
  { to: '12025550105', mode: 'fallback', status: 'sent', channel: 'chat_qr', attempts: ['chat_qr sent'] },
  { to: '12025550105', mode: 'all', status: 'sent', channel: 'chat_qr', attempts: three('sent', 'sent', 'sent') },
  {
    to: '12025550106',
    mode: 'fallback',
    status: 'unknown',
    channel: null,
    attempts: three('unknown', 'unknown', 'unknown'),
  },
  {
    to: '12025550106',
    mode: 'all',
    status: 'unknown',
    channel: null,
    attempts: three('unknown', 'unknown', 'unknown'),
  },
  { to: '12025550107', mode: 'fallback', status: 'sent', channel: 'chat_qr', attempts: ['chat_qr sent'] },
  { to: '12025550107', mode: 'all', status: 'sent', channel: 'chat_qr', attempts: three('sent', 'sent', 'sent') },
  { to: '12025550108', mode: 'fallback', status: 'sent', channel: 'chat_qr', attempts: ['chat_qr sent'] },
  { to: '12025550108', mode: 'all', status: 'sent', channel: 'chat_qr', attempts: three('sent', 'sent', 'sent') },
];

function three(qr: string, cloud: string, sms: string): string[] {
  return [`chat_qr ${qr}`, `chat_cloud ${cloud}`, `sms ${sms}`];
}

/** A body in the words of GraphQL. */
export function toGraphqlInput(body: SendBody): Record<string, unknown> {
  const { channels, deliveryMode, successStatus, ...rest } = body;
  const upper = (word: unknown): unknown => (typeof word === 'string' ? word.toUpperCase() : word);
  return {
    ...rest,
    ...(channels === undefined ? {} : { channels: Array.isArray(channels) ? channels.map(upper) : channels }),
    ...(deliveryMode === undefined ? {} : { deliveryMode: upper(deliveryMode) }),
    ...(successStatus === undefined ? {} : { successStatus: upper(successStatus) }),
  };
}
