/** Infobip's 2FA: send a PIN, send it again, verify it, ask about those of a number. */
import { z } from 'zod';
import { PAGE_SIZE_MAX } from '../../../db/page.ts';
import { AppError, type ErrorCode, invalidInput } from '../../../kernel/errors.ts';
import { toInputError } from '../../../kernel/input.ts';
import type { PlainAnswer } from '../../envelope.ts';
import { decodeJsonText, parseJsonObject } from '../../json-body.ts';
import type { Operations } from '../../operations/operations.generated.ts';
import { type DoorRequest, type DoorRoute, Fields, jsonAnswer, type Knock, ownId, withToken } from '../door.ts';

const PIN = '/2fa/2/pin/:pinId';

const common = {
  facts: { failureStyle: 'infobip' },
  fieldNames: { sender: 'from', 'filter.recipient': 'msisdn' },
  headersOf,
} as const satisfies Partial<DoorRoute>;

/** How long a PIN of Infobip's lives, in seconds, where its application says nothing else. */
const EXPIRES_IN = 900;

const name = z.string().min(1, 'must not be empty');

/** Values for a template of Infobip's, which is not carried over. */
const placeholders = z.strictObject({}, 'are not carried over; leave them out').nullish();

const sendInput = z.strictObject({
  applicationId: name,
  messageId: name,
  from: name.nullish(),
  to: name,
  placeholders,
});

/** Why a PIN is not verified, in Infobip's words. */
const PIN_ERRORS: Readonly<Partial<Record<ErrorCode, string>>> = {
  otp_incorrect: 'WRONG_PIN',
  otp_blocked: 'NO_MORE_PIN_ATTEMPTS',
  otp_expired: 'TTL_EXPIRED',
};

function headersOf({ headers }: Knock): Headers {
  const [, token] = /^App +([\x21-\x7e]+) *$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (!token) throw new AppError('unauthenticated', 'The header Authorization must be "App <token>".');
  return withToken(headers, token);
}

async function send(asked: DoorRequest): Promise<PlainAnswer> {
  if ((new Fields(asked.query, ['ncNeeded']).get('ncNeeded') ?? 'false') !== 'false')
    throw invalidInput('ncNeeded', 'must be false or absent: numbers are not looked up');
  const { to, from } = await readInput(asked, sendInput);
  return sentAnswer(
    await asked.ask('send-otp', { input: { to, sender: from ?? null, channels: ['SMS'], expiresIn: EXPIRES_IN } }),
  );
}

async function resend(asked: DoorRequest): Promise<PlainAnswer> {
  const { length } = await asked.body();
  if (length > 0) await readInput(asked, z.strictObject({ placeholders }));
  return sentAnswer(await asked.ask('resend-otp', { input: { pinId: pinIdOf(asked) } }));
}

interface Sent {
  readonly pinId: string;
  readonly recipient: string;
  readonly attempts: readonly { readonly status: string }[];
}

/** By the attempts of this send: a PIN that was sent once has not failed where a resend has. */
function sentAnswer({ pinId, recipient: to, attempts }: Sent) {
  const smsStatus = attempts.every(({ status }) => status === 'FAILED') ? 'MESSAGE_NOT_SENT' : 'MESSAGE_SENT';
  return jsonAnswer(200, { pinId: vendorId(pinId), to, ncStatus: 'NC_NOT_CONFIGURED', smsStatus });
}

type Checked = Pick<Operations['check-verification']['result'], 'recipient' | 'attemptsRemaining'>;

async function verify(asked: DoorRequest): Promise<PlainAnswer> {
  const { pin } = await readInput(asked, z.strictObject({ pin: name }));
  const pinId = pinIdOf(asked);
  const told = ({ recipient: msisdn, attemptsRemaining }: Checked, outcome: object): PlainAnswer =>
    jsonAnswer(200, { pinId: vendorId(pinId), msisdn, attemptsRemaining, ...outcome });
  try {
    return told(await asked.ask('check-verification', { input: { pinId, pin } }), { verified: true });
  } catch (error) {
    const pinError = error instanceof AppError ? PIN_ERRORS[error.code] : undefined;
    if (!(error instanceof AppError) || pinError === undefined) throw error;
    const { recipient, attemptsRemaining } = await find(asked, pinId);
    // Of guesses at once each has its own count.
    const left = error.details.attemptsRemaining ?? attemptsRemaining;
    return told({ recipient, attemptsRemaining: left }, { verified: false, pinError });
  }
}

/** The PINs of a number, the newest first: as many as one page of ours has. */
async function verifications({ ask, query }: DoorRequest): Promise<PlainAnswer> {
  const fields = new Fields(query, ['msisdn', 'verified', 'sent']);
  const recipient = fields.get('msisdn');
  if (recipient === undefined) throw invalidInput('msisdn', 'is required: the phone number');
  const [verified, sent] = [flagOf(fields, 'verified'), flagOf(fields, 'sent')];
  const { nodes } = await ask('otps', { first: PAGE_SIZE_MAX, filter: { recipient } });
  const isWanted = (pin: Verification): boolean =>
    (verified ?? pin.verified) === pin.verified && (sent ?? 'sentAt' in pin) === 'sentAt' in pin;
  return jsonAnswer(200, { verifications: nodes.map(toVerification).filter(isWanted) });
}

function flagOf(fields: Fields, name: string): boolean | undefined {
  const text = fields.get(name);
  if (text !== undefined && text !== 'true' && text !== 'false') throw invalidInput(name, 'must be true or false');
  return text === undefined ? undefined : text === 'true';
}

interface Verification {
  readonly msisdn: string;
  readonly verified: boolean;
  /** Milliseconds of the epoch. */
  readonly sentAt?: number;
  readonly verifiedAt?: number;
}

function toVerification({
  recipient: msisdn,
  status,
  verifiedAt,
  createdAt,
}: Operations['otps']['result']['nodes'][number]): Verification {
  return {
    msisdn,
    verified: verifiedAt !== null,
    ...(status !== 'FAILED' && { sentAt: createdAt.getTime() }),
    ...(verifiedAt && { verifiedAt: verifiedAt.getTime() }),
  };
}

async function find({ ask }: DoorRequest, pinId: string) {
  const otp = await ask('otp', { pinId });
  if (!otp) throw noSuchPin();
  return otp;
}

function pinIdOf({ part }: DoorRequest): string {
  const pinId = ownId('pin', '', part('pinId'));
  if (pinId === null) throw noSuchPin();
  return pinId;
}

function noSuchPin(): AppError {
  return new AppError('otp_not_found', 'There is no such passcode.');
}

/** An id as Infobip writes them. */
function vendorId(pinId: string): string {
  return pinId.slice('pin_'.length).toUpperCase();
}

async function readInput<Input>({ headers, body }: DoorRequest, schema: z.ZodType<Input>): Promise<Input> {
  const given = parseJsonObject(await decodeJsonText(headers, body));
  const { data, error } = schema.safeParse(given);
  if (error) throw toInputError(error, given);
  return data;
}

/** `POST /2fa/2/pin`, `…/{pinId}/resend`, `…/{pinId}/verify`, `GET /2fa/2/applications/{appId}/verifications`. */
export const infobipPins: readonly DoorRoute[] = [
  { ...common, method: 'POST', path: '/2fa/2/pin', takesQuery: true, answer: send },
  { ...common, method: 'POST', path: `${PIN}/resend`, answer: resend },
  { ...common, method: 'POST', path: `${PIN}/verify`, answer: verify },
  {
    ...common,
    method: 'GET',
    path: '/2fa/2/applications/:appId/verifications',
    takesQuery: true,
    answer: verifications,
  },
];
