/** Twilio's Verify: start a verification, read it, check a code. */
import { AppError, invalidInput } from '../../../kernel/errors.ts';
import { parsePhone } from '../../../kernel/phone.ts';
import type { PlainAnswer } from '../../envelope.ts';
import type { Operations } from '../../operations/operations.generated.ts';
import { type DoorRequest, type DoorRoute, Fields, jsonAnswer, type Knock, ownId, readForm } from '../door.ts';
import { headersOf, requireSid, toSid } from './caller.ts';
import { TwilioError } from './twilio-failure.ts';

const SERVICE = '/v2/Services/:serviceSid';

const common = {
  facts: { failureStyle: 'twilio_verify' },
  fieldNames: {
    to: 'To',
    'filter.recipient': 'To',
    pin: 'Code',
    pinId: 'VerificationSid',
    channels: 'Channel',
    clientIp: 'DeviceIp',
  },
  headersOf: verifyHeaders,
} as const satisfies Partial<DoorRoute>;

/** How long a code of Twilio's lives, in seconds: callers tell their users so. */
const EXPIRES_IN = 600;

/** The headers of our own paths. @throws AppError `invalid_input` for an idempotency token, which would do nothing here */
function verifyHeaders(knock: Knock): Headers {
  for (const name of ['I-Twilio-Idempotency-Token', 'Idempotency-Key'])
    if (knock.headers.has(name)) throw invalidInput(name, 'is of messages alone; leave it out');
  return headersOf(knock);
}

const CHANNELS = { sms: 'SMS', whatsapp: 'CHAT_CLOUD' } as const;

type Otp = Operations['start-verification']['result'];

/** Twilio's words for our statuses. */
const STATUSES: Readonly<Record<Otp['status'], string>> = {
  PENDING: 'pending',
  SENT: 'pending',
  VERIFIED: 'approved',
  BLOCKED: 'max_attempts_reached',
  CANCELLED: 'canceled',
  EXPIRED: 'expired',
  FAILED: 'failed',
};

const NOT_FOUND = 'There is no such verification, or it is over.';

/** Requires the one service of the account: codes of another one would pass for its own. @throws AppError `not_found` */
function requireService(asked: DoorRequest): string {
  const sid = `VA${requireSid(asked).slice('AC'.length)}`;
  if (asked.part('serviceSid').toLowerCase() === sid.toLowerCase()) return sid;
  throw new AppError('not_found', `There is no such service. The one of this account is ${sid}.`);
}

async function start(asked: DoorRequest): Promise<PlainAnswer> {
  requireService(asked);
  const form = await readForm(asked);
  if (form.has('CustomCode')) throw new TwilioError(60204, 'CustomCode', 'is not taken: the gateway makes the code');
  const fields = new Fields(form, ['To', 'Channel', 'Locale', 'DeviceIp']);
  checkLocale(fields.get('Locale'));
  const to = required(fields, 'To');
  const channel = channelOf(required(fields, 'Channel'));
  const clientIp = fields.get('DeviceIp') ?? null;
  const otp = await asked.ask('start-verification', {
    input: { to, channels: [channel], expiresIn: EXPIRES_IN, clientIp },
  });
  if (otp.status === 'FAILED')
    throw new AppError('all_channels_failed', 'The passcode was not accepted by any provider.');
  return jsonAnswer(201, resource(asked, otp));
}

function required(fields: Fields, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw invalidInput(name, 'is required');
  return value;
}

function checkLocale(locale: string | undefined): void {
  if (locale === undefined || /^en(-|$)/i.test(locale)) return;
  throw invalidInput('Locale', 'is not carried over: texts are in English; leave it out');
}

function channelOf(name: string): 'SMS' | 'CHAT_CLOUD' {
  if (name === 'sms' || name === 'whatsapp') return CHANNELS[name];
  throw invalidInput('Channel', 'must be sms or whatsapp');
}

async function read(asked: DoorRequest): Promise<PlainAnswer> {
  requireService(asked);
  const pinId = ownId('pin', 'VE', asked.part('verificationSid'));
  if (pinId === null) throw new AppError('otp_not_found', NOT_FOUND);
  return jsonAnswer(200, resource(asked, await find(asked, pinId)));
}

async function check(asked: DoorRequest): Promise<PlainAnswer> {
  requireService(asked);
  const fields = new Fields(await readForm(asked), ['To', 'VerificationSid', 'Code']);
  const pin = required(fields, 'Code');
  const pinId = await pinIdOf(asked, fields);
  const verified = await asked.ask('check-verification', { input: { pinId, pin } }).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'otp_incorrect') return null;
    throw error;
  });
  if (verified) return jsonAnswer(200, resource(asked, verified));
  // A wrong code is told as such, also the one that blocks.
  return jsonAnswer(200, { ...resource(asked, await find(asked, pinId)), status: 'pending', valid: false });
}

/** The passcode that a check is about: the one that is named, or the newest of a number. */
async function pinIdOf(asked: DoorRequest, fields: Fields): Promise<string> {
  const [sid, to] = [fields.get('VerificationSid'), fields.get('To')];
  if (sid === undefined) return newestPinId(asked, required(fields, 'To'));
  const pinId = ownId('pin', 'VE', sid);
  if (pinId === null) throw new AppError('otp_not_found', NOT_FOUND);
  // A server that keeps the number and reads the SID from its page must not take the code of another phone.
  if (to !== undefined && (await find(asked, pinId)).recipient !== parsePhone(to)?.digits)
    throw new AppError('otp_not_found', NOT_FOUND);
  return pinId;
}

async function newestPinId({ ask }: DoorRequest, recipient: string): Promise<string> {
  const { nodes } = await ask('otps', { first: 1, filter: { recipient } });
  if (!nodes[0]) throw new AppError('otp_not_found', NOT_FOUND);
  return nodes[0].pinId;
}

async function find({ ask }: DoorRequest, pinId: string): Promise<Otp> {
  const otp = await ask('otp', { pinId });
  if (!otp) throw new AppError('otp_not_found', NOT_FOUND);
  return otp;
}

function resource(asked: DoorRequest, otp: Otp): object {
  return {
    sid: toSid('VE', otp.pinId),
    service_sid: requireService(asked),
    account_sid: requireSid(asked),
    to: `+${otp.recipient}`,
    channel: otp.channels[0] === CHANNELS.whatsapp ? 'whatsapp' : 'sms',
    status: STATUSES[otp.status],
    valid: otp.status === 'VERIFIED',
    date_created: wholeSecond(otp.createdAt),
    date_updated: wholeSecond(otp.verifiedAt ?? otp.createdAt),
    lookup: {},
    amount: null,
    payee: null,
    send_code_attempts: [],
    sna: null,
    url: null,
  };
}

/** A time as Twilio writes it: some of its clients read no other form. */
function wholeSecond(date: Date): string {
  return `${date.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}

/** `POST …/Verifications`, `GET …/Verifications/{Sid}`, `POST …/VerificationCheck`. */
export const twilioVerify: readonly DoorRoute[] = [
  { ...common, method: 'POST', path: `${SERVICE}/Verifications`, answer: start },
  { ...common, method: 'GET', path: `${SERVICE}/Verifications/:verificationSid`, answer: read },
  { ...common, method: 'POST', path: `${SERVICE}/VerificationCheck`, answer: check },
];
