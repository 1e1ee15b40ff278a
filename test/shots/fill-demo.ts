/** The content of the demo account: a week of texts that arrived and failed, passcodes, and endpoints. */
import type { Demo } from '../support/processes/gateway.ts';

const TEXTS = [
  'Your parcel arrives today between 14:00 and 16:00.',
  'Table for four, Friday at eight. Reply to change it.',
  'Your appointment is tomorrow at 9:30.',
  'The invoice of November is in your account.',
];

/** Numbers that nobody has: the sandbox fails on some of the first, and delivers to the others. */
const PHONES = [
  ...['0101', '0102', '0102', '0103', '0103', '0104', '0105', '0106'].map(end => `+1202555${end}`),
  ...Array.from({ length: 30 }, (_, at) => `+120255501${70 + at}`),
  ...Array.from({ length: 14 }, (_, at) => `+4477009009${10 + at}`),
  ...Array.from({ length: 10 }, (_, at) => `+336399801${10 + at}`),
  ...Array.from({ length: 6 }, (_, at) => `+4670174061${at}`),
];

const MESSAGES = 500;
const OTPS = 50;

/** Requests under way at once. */
const WORKERS = 12;

const HOUR_MS = 3_600_000;

/** How busy the hours of a day are, from midnight on. */
const DAY = [1, 1, 1, 1, 1, 2, 4, 7, 11, 14, 15, 14, 12, 13, 15, 16, 15, 13, 11, 9, 7, 5, 3, 2];

/** The same numbers at each run, from 0 to 1, so that pictures can be compared. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** How long ago something was sent: busy by day, quiet by night; half of it in the last day. */
function ageMs(random: () => number, nowMs: number): number {
  for (;;) {
    const days = random() < 0.5 ? 1 : 7;
    const age = random() * days * 24 * HOUR_MS;
    if (random() * 16 < (DAY[new Date(nowMs - age).getUTCHours()] ?? 0)) return Math.round(age);
  }
}

/** Asks with the token of an area; answers what it was told, which may be a refusal. */
export type Ask = (
  area: keyof Demo['tokens'],
  path: string,
  body: object,
) => Promise<{ data?: Record<string, string> }>;

/** Asks a gateway with the tokens of its demo account. */
export function asker({ url, tokens }: Demo): Ask {
  return async (area, path, body) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[area]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { data?: Record<string, string> };
  };
}

/** Refused requests, as they happen in a first hour. */
const REFUSED: readonly (readonly [area: keyof Demo['tokens'], path: string, body: object])[] = [
  ['unified', '/api/omni/send', { to: '+12025550100', text: 'Hello', channels: ['sms'], sender: 'SHOP' }],
  ['unified', '/api/omni/send', { to: 'nobody', text: 'Hello', channels: ['sms'], sender: 'DEMO' }],
  ['sms', '/api/omni/send', { to: '+12025550100', text: 'Hello', sender: 'DEMO' }],
  ['otp', '/api/sms/otp/verify', { pinId: 'pin_0', pin: '000000' }],
];

/** Sends and verifies until every page has something to show; answers how far each send belongs into the past. */
export async function fillDemo(demo: Demo): Promise<Map<string, number>> {
  const ask = asker(demo);
  const random = seeded(7);
  const nowMs = Date.now();
  const ages = new Map<string, number>();
  const turns = [...Array(MESSAGES).keys()].values();
  for (const [area, path, body] of REFUSED) await ask(area, path, body);
  const keep = (id: string | undefined) => id && ages.set(id, ageMs(random, nowMs));
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      for (const turn of turns) keep(await sendMessage(ask, turn, random));
    }),
  );
  const otps = [...Array(OTPS).keys()].values();
  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      for (const turn of otps) keep(await sendOtp(ask, `+1202555${String(2000 + turn).slice(-4)}`, random()));
    }),
  );
  return ages;
}

async function sendMessage(ask: Ask, turn: number, random: () => number): Promise<string | undefined> {
  // Most texts are to phones that nothing is wrong with.
  const phones = random() < 0.12 ? PHONES.slice(0, 8) : PHONES.slice(8);
  const channels = [['chat_qr', 'sms'], ['sms'], ['sms'], ['chat_qr', 'sms'], ['chat_qr']][Math.floor(random() * 5)];
  const { data } = await ask('unified', '/api/omni/send', {
    to: phones[Math.floor(random() * phones.length)],
    text: TEXTS[turn % TEXTS.length],
    channels,
    chatFrom: '15550000001',
    sender: 'DEMO',
    reference: `order-${1042 + turn}`,
  });
  return data?.messageId;
}

/** Of four passcodes three are verified; of the others some are typed wrongly. */
async function sendOtp(ask: Ask, to: string, chance: number): Promise<string | undefined> {
  const { data } = await ask('otp', '/api/sms/otp/send', { to });
  if (!data?.pinId) return undefined;
  if (chance > 0.75) {
    if (chance > 0.87) await ask('otp', '/api/sms/otp/verify', { pinId: data.pinId, pin: '000000' });
    return data.pinId;
  }
  const query = 'query ($to: String!) { sandboxWaitForCode(to: $to) { code } }';
  const found = await ask('management', '/graphql', { query, variables: { to } });
  const { code } = (found.data?.sandboxWaitForCode ?? {}) as { code?: string };
  await ask('otp', '/api/sms/otp/verify', { pinId: data.pinId, pin: code });
  return data.pinId;
}
