/** Twilio's Messages: send, read, list. */
import { requireAccount } from '../../../context.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../db/page.ts';
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { senderAddress } from '../../../kernel/phone.ts';
import { ownSender } from '../../../modules/routing/routing.policy.ts';
import type { PlainAnswer } from '../../envelope.ts';
import { type DoorRequest, type DoorRoute, Fields, jsonAnswer, ownId, readForm } from '../door.ts';
import { headersOf, requireSid } from './caller.ts';
import { messageResource, messagesPath } from './message-resource.ts';
import { TwilioError } from './twilio-failure.ts';

const MESSAGES = '/2010-04-01/Accounts/:accountSid/Messages.json';
const MESSAGE = '/2010-04-01/Accounts/:accountSid/Messages/:messageSid';

const common = {
  facts: { failureStyle: 'twilio' },
  fieldNames: {
    to: 'To',
    sender: 'From',
    text: 'Body',
    'filter.recipient': 'To',
    'filter.from': 'DateSent>',
    'filter.to': 'DateSent<',
    first: 'PageSize',
    after: 'PageToken',
  },
  headersOf,
} as const satisfies Partial<DoorRoute>;

/** How long Twilio lets a message wait, in seconds. Ours never waits: it is tried at once. */
const VALIDITY = { min: 60, max: 36_000 };

const NO_CALLBACK =
  'is not called for one message: make a webhook of the account, which is told of every message, and leave it out';

async function send(asked: DoorRequest): Promise<PlainAnswer> {
  const sid = requireSid(asked);
  const fields = new Fields(await readForm(asked), ['To', 'From', 'MessagingServiceSid', 'Body', 'ValidityPeriod'], {
    StatusCallback: NO_CALLBACK,
  });
  const [to, text] = [required(fields, 'To', 21604), required(fields, 'Body', 21602)];
  checkValidity(fields.get('ValidityPeriod'));
  const sender = senderOf(asked, fields);
  const message = await asked.ask('send-message', { input: { to, text, sender, channels: ['SMS'] } });
  return jsonAnswer(
    201,
    messageResource(sid, { ...message, text, sender: senderAddress('sms', sender) ?? sender, chatFrom: null }),
  );
}

function required(fields: Fields, name: string, number: number): string {
  const value = fields.get(name);
  if (value === undefined) throw new TwilioError(number, name, 'is required');
  return value;
}

/** The sender: the one that is named, or for a messaging service the default one of the account. */
function senderOf({ ctx }: DoorRequest, fields: Fields): string {
  const from = fields.get('From');
  const sender = from ?? (fields.get('MessagingServiceSid') && ownSender('sms', requireAccount(ctx).account)?.address);
  if (!sender) throw new TwilioError(21603, 'From', 'is required: an approved sender of the account');
  return sender;
}

function checkValidity(text: string | undefined): void {
  if (text === undefined || (/^[0-9]{1,5}$/.test(text) && +text >= VALIDITY.min && +text <= VALIDITY.max)) return;
  throw invalidInput('ValidityPeriod', `must be a whole number of seconds from ${VALIDITY.min} to ${VALIDITY.max}`);
}

async function read(asked: DoorRequest): Promise<PlainAnswer> {
  const sid = requireSid(asked);
  const id = ownId('msg', 'SM', asked.part('messageSid').replace(/\.json$/, ''));
  const message = id && (await asked.ask('message', { id }));
  if (!message) throw new AppError('not_found', 'The account has no message with this SID.');
  return jsonAnswer(200, messageResource(sid, message));
}

async function list(asked: DoorRequest): Promise<PlainAnswer> {
  const sid = requireSid(asked);
  const known = ['To', 'DateSent', 'DateSent>', 'DateSent<', 'PageSize', 'Page', 'PageToken'];
  const fields = new Fields(asked.query, known, { From: 'is no filter of this door; leave it out' });
  const [size, page] = [
    Math.min(countOf(fields, 'PageSize', 1) ?? PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX),
    countOf(fields, 'Page', 0) ?? 0,
  ];
  if (page > 0 && fields.get('PageToken') === undefined)
    throw invalidInput('Page', 'needs the PageToken of its next_page_uri; follow that address');
  const filter = { recipient: fields.get('To') ?? null, ...timesOf(fields) };
  const { nodes, pageInfo } = await asked.ask('messages', {
    first: size,
    after: fields.get('PageToken') ?? null,
    filter,
  });
  const next = pageInfo.hasNextPage && pageInfo.endCursor;
  const uriOf = (more: Record<string, string>): string => {
    const query = new URLSearchParams(asked.query);
    for (const [name, value] of Object.entries({ PageSize: String(size), ...more })) query.set(name, value);
    return `${messagesPath(sid)}?${query}`;
  };
  return jsonAnswer(200, {
    messages: nodes.map(message => messageResource(sid, message)),
    page,
    page_size: size,
    start: page * size,
    end: page * size + Math.max(nodes.length - 1, 0),
    uri: uriOf({}),
    first_page_uri: uriOf({ Page: '0', PageToken: '' }),
    next_page_uri: next ? uriOf({ Page: String(page + 1), PageToken: next }) : null,
    previous_page_uri: null,
  });
}

function countOf(fields: Fields, name: string, min: 0 | 1): number | undefined {
  const text = fields.get(name);
  if (text === undefined) return undefined;
  if (/^[0-9]{1,6}$/.test(text) && Number(text) >= min) return Number(text);
  throw invalidInput(name, `must be a whole number from ${min}`);
}

const DAY_MS = 86_400_000;

/** A day of UTC, or the times from and before which messages were sent. */
function timesOf(fields: Fields): { readonly from?: string; readonly to?: string } {
  const [at, from, to] = [timeOf(fields, 'DateSent'), timeOf(fields, 'DateSent>'), timeOf(fields, 'DateSent<')];
  if (!at) return { ...(from && { from: from.toISOString() }), ...(to && { to: to.toISOString() }) };
  if (from || to) throw invalidInput('DateSent', 'is a whole day: leave it out beside DateSent> and DateSent<');
  const dayMs = at.getTime() - (at.getTime() % DAY_MS);
  return { from: new Date(dayMs).toISOString(), to: new Date(dayMs + DAY_MS).toISOString() };
}

function timeOf(fields: Fields, name: string): Date | undefined {
  const text = fields.get(name);
  if (text === undefined) return undefined;
  const time = /^[12][0-9]{3}-[0-9]{2}-[0-9]{2}(T.*Z)?$/.test(text) ? new Date(text) : new Date(Number.NaN);
  // A day that no calendar has is read as one of the next month.
  if (Number.isNaN(time.getTime()) || !text.startsWith(time.toISOString().slice(0, 'yyyy-mm-dd'.length)))
    throw invalidInput(name, 'must be a date like 2026-11-26');
  return time;
}

/** `POST` and `GET …/Messages.json`, `GET …/Messages/{Sid}.json`. */
export const twilioMessages: readonly DoorRoute[] = [
  { ...common, method: 'POST', path: MESSAGES, answer: send },
  { ...common, method: 'GET', path: MESSAGES, takesQuery: true, answer: list },
  { ...common, method: 'GET', path: MESSAGE, answer: read },
];
