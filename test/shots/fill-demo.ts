/** What the demo account has to show: texts that arrived and failed, passcodes, and endpoints. */
import type { Demo } from '../support/processes/gateway.ts';

/** Recipients of the sandbox, most of which receive what is sent to them. */
const PHONES = ['100', '101', '102', '103', '104', '105', '106', '110', '111', '112', '113', '120'];

const TEXTS = [
  'Your parcel arrives today between 14:00 and 16:00.',
  'Table for four, Friday at eight. Reply to change it.',
  'Your appointment is tomorrow at 9:30.',
  'The invoice of November is in your account.',
];

/** Sends and verifies until every page has something to show. */
export async function fillDemo({ url, tokens }: Demo): Promise<void> {
  const ask = async (
    area: keyof Demo['tokens'],
    path: string,
    body: object,
  ): Promise<{ data?: { pinId?: string } }> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[area]}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as { data?: { pinId?: string } };
  };
  const graphql = (area: keyof Demo['tokens'], query: string) => ask(area, '/graphql', { query });
  await graphql(
    'management',
    'mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hooks", description: "Orders", events: ["message.sent", "message.failed"] }) { secret } }',
  );
  for (let turn = 0; turn < 60; turn += 1) {
    const to = `+1202555${(PHONES[(turn * 7) % PHONES.length] ?? '').padStart(4, '0')}`;
    await ask('unified', '/api/omni/send', {
      to,
      text: TEXTS[turn % TEXTS.length],
      channels: turn % 3 === 0 ? ['sms'] : ['chat_qr', 'sms'],
      chatFrom: '15550000001',
      sender: 'DEMO',
      reference: `order-${1042 + turn}`,
    });
  }
  for (const phone of ['0101', '0110', '0111']) {
    const { data } = await ask('otp', '/api/sms/otp/send', { to: `+1202555${phone}` });
    if (phone === '0111') await ask('otp', '/api/sms/otp/verify', { pinId: data?.pinId, pin: '000000' });
  }
}
