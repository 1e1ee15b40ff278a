/** Mixed traffic, as callers make it who send again until they are answered, and their own log of what they were answered. */
import { setTimeout as wait } from 'node:timers/promises';
import { phoneOf } from '../bench/load/phones.ts';

/** A message, and what its caller was told in the end. */
export interface Told {
  readonly reference: string;
  readonly text: string;
  readonly status: number;
  readonly messageId: string | undefined;
  readonly messageStatus: string | undefined;
}

/** A passcode, and how often its right code was taken. */
export interface Verified {
  readonly pinId: string;
  readonly recipient: string;
  /** The statuses of the verifies of its right code; 0: no answer came. */
  readonly statuses: readonly number[];
}

/** An answer that came, by the seconds since the begin. */
export interface Timed {
  readonly second: number;
  readonly tookMs: number;
}

/** The notes of callers. */
export interface Notes {
  readonly told: Told[];
  readonly verified: Verified[];
  /** Of sends that wait for nothing, at the first try. */
  readonly timed: Timed[];
  /** How often each kind of refusal came, after which the caller tried again. */
  readonly refusals: Map<string, number>;
  /** Answers that nobody may get. */
  readonly faults: string[];
  /** Passcodes whose sends were refused or got no answer; none of these is sent again. */
  unsent: number;
}

/** The traffic: its gateways, its token and sender, and its rate. */
export interface TrafficPlan {
  readonly urls: readonly string[];
  readonly token: string;
  readonly sender: string;
  /** Messages a second. */
  readonly rate: number;
  readonly signal: AbortSignal;
}

/** The sender of chats. */
export const CHAT_SENDER = '15550000001';

/** A caller gives up after this time: nobody may be left without an answer for so long. */
const GIVEN_UP_MS = 120_000;
const TRY_MS = 30_000;

/** Recipients of the sandbox: taken, refused by SMS, not on the chat, timed out, slow. Most are taken. */
const RECIPIENTS = ['0100', '0100', '0100', '0100', '0100', '0100', '0101', '0102', '0106', '0107'];

/** The refusals after which a caller sends again. */
const REFUSALS = /^(503 (overloaded|database_unavailable) [1-9]\d*|409 reference_in_flight [1-9]\d*)$/;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: { readonly code?: string; readonly data?: Record<string, string> };
}

/** Makes traffic until it is told to end, and awaits every answer. */
export async function makeTraffic(plan: TrafficPlan): Promise<Notes> {
  const notes: Notes = { told: [], verified: [], timed: [], refusals: new Map(), faults: [], unsent: 0 };
  const beganMs = performance.now();
  const under = new Set<Promise<void>>();
  const otps = verifyInTurn(plan, notes);
  for (let index = 0; !plan.signal.aborted; index++) {
    const dueMs = beganMs + (index * 1_000) / plan.rate - performance.now();
    if (dueMs > 0) await wait(dueMs);
    const one = sendMessage(plan, notes, index, beganMs).finally(() => under.delete(one));
    under.add(one);
  }
  await Promise.all([...under, otps]);
  return notes;
}

async function post(url: string, token: string, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TRY_MS),
  });
  const { status, headers } = response;
  return { status, retryAfter: headers.get('retry-after'), body: (await response.json()) as Answer['body'] };
}

/** Sends a message to one gateway after the other until there is an answer that tells what became of it. */
async function sendMessage(
  { urls, token, sender }: TrafficPlan,
  notes: Notes,
  index: number,
  beganMs: number,
): Promise<void> {
  const reference = `soak-${index}`;
  const recipient = RECIPIENTS[index % RECIPIENTS.length] ?? '0100';
  const text = `Quiet harbour ${index}`;
  const isChat = recipient === '0102';
  const channels = isChat ? ['chat_qr', 'sms'] : ['sms'];
  const body = {
    to: `+1202555${recipient}`,
    text,
    reference,
    channels,
    sender,
    ...(isChat ? { chatFrom: CHAT_SENDER } : {}),
  };
  const startedMs = performance.now();
  for (let tries = 0; performance.now() - startedMs < GIVEN_UP_MS; tries++) {
    const askedMs = performance.now();
    const answer = await post(`${urls[(index + tries) % urls.length]}/api/omni/send`, token, body).catch(() => null);
    const tookMs = performance.now() - askedMs;
    const kind = answer ? `${answer.status} ${answer.body.code} ${answer.retryAfter}` : 'no answer';
    if (answer?.status === 200 || answer?.body.code === 'all_channels_failed') {
      const { messageId, status: messageStatus } = answer.body.data ?? {};
      notes.told.push({ reference, text, status: answer.status, messageId, messageStatus });
      if (tries === 0 && recipient === '0100') notes.timed.push({ second: (askedMs - beganMs) / 1_000, tookMs });
      return;
    }
    if (answer && !REFUSALS.test(kind)) {
      notes.faults.push(`${reference}: answered ${kind}`);
      return;
    }
    const name = kind.replace(/ \d+$/, '');
    notes.refusals.set(name, (notes.refusals.get(name) ?? 0) + 1);
    await wait(200);
  }
  notes.faults.push(`${reference}: no answer within ${GIVEN_UP_MS / 1_000} s`);
}

/** Sends passcodes, one after another, and verifies each twice at once at two gateways. */
async function verifyInTurn({ urls, token, signal }: TrafficPlan, notes: Notes): Promise<void> {
  for (let serial = 0; !signal.aborted; serial++) {
    const url = urls[serial % urls.length] ?? '';
    const recipient = phoneOf(serial);
    const sent = await post(`${url}/api/omni/otp/send`, token, { to: `+${recipient}`, channels: ['sms'] }).catch(
      () => null,
    );
    const pinId = sent?.status === 200 ? sent.body.data?.pinId : undefined;
    const pin = pinId === undefined ? null : await readCode(url, token, recipient).catch(() => null);
    if (pinId === undefined || pin === null) {
      notes.unsent += 1;
      const code = sent?.body.code ?? '';
      if (
        sent &&
        sent.status !== 200 &&
        !/^(overloaded|database_unavailable|rate_limited|recipient_in_flight)$/.test(code)
      )
        notes.faults.push(`a passcode was answered ${sent.status} ${code}`);
      await wait(500);
      continue;
    }
    const verifies = urls.map(to => post(`${to}/api/omni/otp/verify`, token, { pinId, pin }).catch(() => null));
    const statuses = (await Promise.all(verifies)).map(answer => answer?.status ?? 0);
    notes.verified.push({ pinId, recipient, statuses });
    await wait(500);
  }
}

/** The code that the phone of the sandbox shows; null: none. */
async function readCode(url: string, token: string, to: string): Promise<string | null> {
  const query = 'query ($to: String!) { sandboxMessages(to: $to, first: 1) { text } }';
  const { body } = await post(`${url}/graphql`, token, { query, variables: { to: `+${to}` } });
  const { sandboxMessages } = body.data as unknown as { sandboxMessages: readonly { readonly text: string }[] };
  return /\d{6}/.exec(sandboxMessages[0]?.text ?? '')?.[0] ?? null;
}
