/** Messages in Twilio's form. */
import { parsePhone } from '../../../kernel/phone.ts';
import type { Operations } from '../../operations/operations.generated.ts';
import { toSid } from './caller.ts';

/** A message as our operations answer it. */
export type OwnMessage = NonNullable<Operations['message']['result']>;

/** Twilio's words for our statuses. An outcome that nobody knows is told as sent: a repeat could be a second message. */
const STATUSES: Readonly<Record<OwnMessage['status'], string>> = {
  PENDING: 'sending',
  SENT: 'sent',
  DELIVERED: 'delivered',
  READ: 'read',
  FAILED: 'failed',
  EXPIRED: 'undelivered',
  UNKNOWN: 'sent',
};

/** Twilio's number for a failure of a cause that is not its own. */
const UNKNOWN_ERROR = 30008;

/** The path of the messages of an account. */
export function messagesPath(sid: string): string {
  return `/2010-04-01/Accounts/${sid}/Messages.json`;
}

/** A message as a resource of the account `sid`. */
export function messageResource(sid: string, message: OwnMessage): object {
  const { attempts, createdAt, status } = message;
  const [sentAt, endedAt] = [endsOf(attempts.filter(wasAccepted))[0], endsOf(attempts).at(-1)];
  const failed =
    status === 'FAILED' || status === 'EXPIRED' ? attempts.findLast(({ errorCode }) => errorCode) : undefined;
  const id = toSid('SM', message.messageId);
  const uri = messagesPath(sid).replace('.json', `/${id}.json`);
  return {
    account_sid: sid,
    api_version: '2010-04-01',
    body: message.text,
    date_created: rfc2822(createdAt),
    date_sent: sentAt ? rfc2822(sentAt) : null,
    date_updated: rfc2822(endedAt ?? createdAt),
    direction: 'outbound-api',
    error_code: failed ? numberOf(failed.errorCode) : null,
    error_message: failed?.errorMessage ?? null,
    from: message.sender === null ? toNumber(message.chatFrom) : toSender(message.sender),
    messaging_service_sid: null,
    num_media: '0',
    num_segments: String(message.segments),
    price: null,
    price_unit: null,
    sid: id,
    status: STATUSES[status],
    subresource_uris: {},
    to: toNumber(message.recipient),
    uri,
  };
}

/** When attempts ended, in the order of time. */
function endsOf(attempts: OwnMessage['attempts']): readonly Date[] {
  return attempts.flatMap(({ finishedAt }) => finishedAt ?? []).sort((a, b) => a.getTime() - b.getTime());
}

/** Whether a provider took it. Credits stay paid where it is reported undelivered afterwards. */
function wasAccepted({ status, credits }: OwnMessage['attempts'][number]): boolean {
  return status !== 'FAILED' || credits > 0;
}

/** A sender as Twilio writes it: a number in E.164, all else as it is. Short codes have up to eight digits. */
function toSender(address: string): string {
  return /^[0-9]{9,15}$/.test(address) ? `+${address}` : address;
}

/** A recipient or the number of a chat as Twilio writes it: a number in E.164, an id as it is. */
function toNumber(address: string | null): string | null {
  return address !== null && parsePhone(`+${address}`)?.digits === address ? `+${address}` : address;
}

/** Twilio's own number, where the message went by a connection to Twilio. */
function numberOf(errorCode: string | null): number {
  return Number(/^twilio_([0-9]{5})$/.exec(errorCode ?? '')?.[1] ?? UNKNOWN_ERROR);
}

function rfc2822(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
