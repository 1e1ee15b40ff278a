/** Signatures of deliveries: the headers that the gateway sends, and a receiver's check. Imports only node:crypto, as the receiver's half is exported. */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const TOLERANCE_SECONDS = 300;

/** Standard Webhooks keys have 24 to 64 bytes; those of the gateway have 32. A shorter one, an empty one above all, could be guessed. */
const SECRET_PATTERN = /^whsec_(?=.{32,88}$)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The facts of a delivery that its signature headers are made of. */
export interface WebhookSigning {
  /** The event's name, such as `message.sent`. */
  readonly event: string;
  /** `dlv_…`, the same at every try. Free of `.`, which separates the signed parts. */
  readonly deliveryId: string;
  /** Unix seconds of this try. */
  readonly timestamp: number;
  /** The body, byte for byte as it is sent. */
  readonly body: string | Uint8Array;
}

/** The secret of an endpoint, and the one before it while its day of rotation lasts. */
export interface WebhookSecrets {
  readonly current: string;
  readonly previous: string | null;
}

/** The body of a delivery, as a receiver gets it. */
export interface WebhookPayload {
  /** `evt_…`, the same at every try and redelivery: what a receiver remembers in order to act once. */
  readonly id: string;
  /** The event's name, such as `message.sent`. */
  readonly event: string;
  /** When it happened: ISO 8601 in UTC. */
  readonly createdAt: string;
  /** `acc_…`, the account that it happened to. */
  readonly accountId: string;
  /** The message, attempt or OTP, as REST answers it. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Headers of a request: Node's `request.headers`, a fetch `Headers`, or a plain record with names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** How strict `verifyWebhook` is. */
export interface VerifyWebhookOptions {
  /** How many seconds the timestamp may lie before or after this machine's clock; 300 where it is not given. */
  readonly toleranceSeconds?: number | undefined;
}

/** A delivery that must not be trusted; answer it with 400. The message names the mend, and holds neither secret nor body. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** A way of signing: the names of its three headers, its key of a secret, and what makes its signature of the signed bytes. */
interface Scheme {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly keyOf: (secret: string) => KeyObject;
  readonly sign: (key: KeyObject, signed: Uint8Array) => string;
}

/** The gateway's own scheme: the key is the secret as it was shown, so that one line of any shell can check it. */
const SERVICE: Scheme = {
  id: 'X-Service-Delivery',
  timestamp: 'X-Service-Timestamp',
  signature: 'X-Service-Signature',
  keyOf: secret => createSecretKey(secret, 'utf8'),
  sign: (key, signed) => `sha256=${createHmac('sha256', key).update(signed).digest('hex')}`,
};

/** Standard Webhooks: the key is the bytes behind `whsec_`. */
const STANDARD: Scheme = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
  keyOf: secret => createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
  sign: (key, signed) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
};

function signedBytes(id: string, timestamp: string, body: string | Uint8Array): Uint8Array {
  const head = `${id}.${timestamp}.`;
  return typeof body === 'string' ? Buffer.from(head + body) : Buffer.concat([Buffer.from(head), body]);
}

/** Makes the secret of an endpoint: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** Makes the headers of one try: four `X-Service-*`, three of Standard Webhooks. */
export type WebhookSigner = (signing: WebhookSigning) => Record<string, string>;

/**
 * Makes a signer, whose keys are made once: that takes as long as signing. A previous secret makes `X-Service-Signature`, so that receivers
 * work on until they switch; `webhook-signature` holds one signature of each secret.
 */
export function createWebhookSigner({ current, previous }: WebhookSecrets): WebhookSigner {
  const service = SERVICE.keyOf(previous ?? current);
  const standard = (previous === null ? [current] : [current, previous]).map(STANDARD.keyOf);
  return ({ event, deliveryId, body, ...rest }) => {
    const timestamp = String(rest.timestamp);
    const signed = signedBytes(deliveryId, timestamp, body);
    return {
      'X-Service-Event': event,
      [SERVICE.id]: deliveryId,
      [SERVICE.timestamp]: timestamp,
      [SERVICE.signature]: SERVICE.sign(service, signed),
      [STANDARD.id]: deliveryId,
      [STANDARD.timestamp]: timestamp,
      [STANDARD.signature]: standard.map(key => STANDARD.sign(key, signed)).join(' '),
    };
  };
}

/**
 * Checks that a delivery is fresh and signed with any of the secrets (`whsec_…`), by either scheme, and reads it. `rawBody` is the body as it came:
 * JSON that was parsed and stringified has another signature. @throws WebhookVerificationError: do not trust it. @throws TypeError for a bad argument.
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyWebhookOptions = {},
): WebhookPayload {
  const secrets = readSecrets(secret);
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new TypeError('rawBody must be the body as it came, a string or bytes, not what a JSON parser made of it');
  }
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds must be a number of seconds, 0 or more');
  const read = headerReader(headers);
  const schemes = [SERVICE, STANDARD].filter(({ id, timestamp, signature }) =>
    [id, timestamp, signature].every(name => read(name) !== ''),
  );
  if (schemes.length === 0) throw missingHeaders(read);
  refuseDifference(read, SERVICE.id, STANDARD.id);
  refuseDifference(read, SERVICE.timestamp, STANDARD.timestamp);

  // Every secret meets every signature, so that the time this takes tells neither which one matched nor where.
  let matches = 0;
  for (const { id, timestamp, signature, keyOf, sign } of schemes) {
    const signed = signedBytes(read(id), read(timestamp), rawBody);
    for (const one of secrets) {
      const made = sign(keyOf(one), signed);
      for (const claimed of read(signature).split(' ')) matches += Number(sameText(claimed, made));
    }
  }
  if (matches === 0) {
    throw new WebhookVerificationError(
      'No signature matches: check that the secret is the one of this webhook, and that the body is what came over the wire, not JSON that was parsed and stringified again.',
    );
  }
  refuseStale(Number(read(schemes[0]?.timestamp ?? '')), toleranceSeconds);
  return readPayload(rawBody, read('X-Service-Event'));
}

function readSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const good = Array.isArray(secrets) && secrets.every(one => typeof one === 'string' && SECRET_PATTERN.test(one));
  if (good && secrets.length > 0) return secrets;
  throw new TypeError(
    'secret must be the text that was shown when the webhook was made, whsec_ and all, or a list of such',
  );
}

/** Reads a header by name, in any case; one that is not there is empty. */
function headerReader(headers: WebhookHeaders): (name: string) => string {
  if (isFetchHeaders(headers)) return name => headers.get(name) ?? '';
  const values = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return name => {
    const value = values.get(name.toLowerCase()) ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  };
}

function isFetchHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function missingHeaders(read: (name: string) => string): WebhookVerificationError {
  const missing = [SERVICE, STANDARD].map(({ id, timestamp, signature }) =>
    [id, timestamp, signature].filter(name => read(name) === '').join(', '),
  );
  return new WebhookVerificationError(
    `Headers are missing (${missing.join('; or ')}): hand over all headers of the request, and let no proxy drop them.`,
  );
}

/** Each scheme signs its own headers only: where both are there and one verifies, somebody may have changed the other's, to repeat a delivery. */
function refuseDifference(read: (name: string) => string, first: string, second: string): void {
  const [one, other] = [read(first), read(second)];
  if (one === '' || other === '' || one === other) return;
  throw new WebhookVerificationError(
    `${first} and ${second} differ, so one of them was changed on the way: do not trust this delivery.`,
  );
}

function sameText(claimed: string, made: string): boolean {
  const [one, other] = [Buffer.from(claimed), Buffer.from(made)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function refuseStale(timestamp: number, toleranceSeconds: number): void {
  // biome-ignore lint/plugin: This runs at the receiver, who knows no other clock.
  const age = Math.floor(Date.now() / 1000) - timestamp;
  if (Math.abs(age) <= toleranceSeconds) return;
  throw new WebhookVerificationError(
    `The timestamp is ${Math.abs(age)} s ${age < 0 ? 'ahead of' : 'behind'} this machine's clock, more than ${toleranceSeconds} s: it is an old delivery sent again by somebody else, or the clock must be set (NTP).`,
  );
}

/** The cause of a parse error is left out: it would repeat a part of the body. */
function readPayload(rawBody: string | Uint8Array, eventHeader: string): WebhookPayload {
  let payload: unknown;
  try {
    payload = JSON.parse(typeof rawBody === 'string' ? rawBody : Buffer.from(rawBody).toString());
  } catch {
    payload = null;
  }
  if (!isPayload(payload)) {
    throw new WebhookVerificationError(
      'The signature is right, but the body is not JSON with id, event, createdAt, accountId and data: hand over the whole body as it came, and look at what the sender signs.',
    );
  }
  // The header is not signed; the body's event is.
  if (eventHeader !== '' && eventHeader !== payload.event) {
    throw new WebhookVerificationError(
      'X-Service-Event is not the event of the body, so it was changed on the way: do not trust this delivery.',
    );
  }
  return payload;
}

function isPayload(value: unknown): value is WebhookPayload {
  if (typeof value !== 'object' || value === null) return false;
  const texts = ['id', 'event', 'createdAt', 'accountId'];
  const fields = new Map<string, unknown>(Object.entries(value));
  const data = fields.get('data');
  return texts.every(name => typeof fields.get(name) === 'string') && typeof data === 'object' && data !== null;
}
