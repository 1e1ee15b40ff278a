/** Callbacks of Meta. */
import { createHmac } from 'node:crypto';
import type { Callback, ReportRequest } from '../../../../src/channels/contract.ts';
import { whatsAppConfig } from '../../../../src/channels/whatsapp-cloud/config.ts';
import { whatsAppCloud } from '../../../../src/channels/whatsapp-cloud/provider.ts';
import { isStorableJson } from '../../../../src/kernel/storable.ts';
import { hold } from '../check.ts';
import type { FuzzTarget } from '../search.ts';
import { SERVICES } from './shared.ts';

const SECRET = 'an-app-secret-of-meta';
const config = { phoneNumberId: '1', accessToken: 'a-token', appSecret: SECRET, verifyToken: 'a-word' };
const provider = whatsAppCloud.create(whatsAppConfig.parse(config), SERVICES);

const read = (request: ReportRequest): Callback | 'forged' => provider.callbackOf?.(request) ?? 'forged';

const callOf = (field: string, value: object): string =>
  JSON.stringify({ entry: [{ id: '2', changes: [{ field, value }] }] });

const metadata = { display_phone_number: '1', phone_number_id: '1' };

/** The body of a call, which is signed: everything of it that is stored without a further look can be. */
export const whatsAppCallback: FuzzTarget = {
  name: 'whatsapp-callback',
  tokens: [
    '\\u0000',
    '\\ud800',
    '"statuses":',
    '"pricing":',
    '"errors":',
    '"contacts":',
    '"user_id":',
    'failed',
    'null',
    '{',
    '[',
  ],
  seeds: [
    callOf('messages', {
      metadata,
      statuses: [{ id: 'w', status: 'failed', recipient_id: '1', errors: [{ code: 1 }], pricing: { category: 'a' } }],
    }),
    callOf('messages', {
      metadata,
      contacts: [{ wa_id: '1', user_id: 'US.1', profile: { name: 'A' } }],
      messages: [{ id: 'w', type: 'text', from: '1', timestamp: '1', text: { body: 'a' } }],
    }),
    callOf('message_template_status_update', {
      message_template_name: 'a',
      message_template_language: 'en',
      event: 'PAUSED',
      reason: 'NONE',
      other_info: { title: 'FIRST_PAUSE' },
    }),
  ],
  run(body) {
    const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`;
    const request = { method: 'POST' as const, url: SERVICES.receiptsUrl, body };
    hold(read({ ...request, headers: {} }) === 'forged', 'not forged, without a signature');
    const callback = read({ ...request, headers: { 'x-hub-signature-256': signature } });
    hold(callback !== 'forged', 'forged, though it is signed');
    for (const { messages: _readLater, ...news } of callback.news)
      hold(isStorableJson(news), 'news that cannot be stored');
  },
};
