/** An HTTP gateway with an interface like that of Kannel's `sendsms`, and the config of the contract (§12) for it. */
import { randomUUID } from 'node:crypto';
import type { Protocol } from './http-peer.ts';

/** Its user. */
export const GATEWAY_USER = { username: 'tester', password: 'a pass+word & 100% of /it?' } as const;

/** The config of the contract, for a gateway at this address. */
export function gatewayConfig(origin: string, password: string = GATEWAY_USER.password) {
  return {
    secrets: { password },
    request: {
      method: 'GET',
      url: `${origin}/cgi-bin/sendsms`,
      query: {
        username: 'tester',
        password: '{{secret.password}}',
        to: '{{to}}',
        from: '{{from}}',
        text: '{{text}}',
        'dlr-mask': '31',
        'dlr-url': '{{receiptsUrl}}?attempt={{attemptId}}&status=%d',
      },
    },
    accepted: { status: [202] },
    throttled: { status: [429] },
    rejected: { status: [400, 403] },
    messageId: 'body:/id=(\\S+)/',
    receipt: {
      attemptId: 'query:attempt',
      status: 'query:status',
      map: { '1': 'delivered', '2': 'failed', '8': 'sent', '16': 'failed', '34': 'expired' },
    },
  };
}

/** The gateway. */
export const gatewayProtocol: Protocol = {
  check({ method, path, query }) {
    if (method !== 'GET' || path !== '/cgi-bin/sendsms') return { status: 404, body: 'Not found' };
    const isKnown = query.get('username') === GATEWAY_USER.username && query.get('password') === GATEWAY_USER.password;
    if (!isKnown) return { status: 403, body: 'Authorization failed for sendsms' };
    return query.get('to') ? null : { status: 400, body: 'Missing receiver number, rejected' };
  },
  recipientOf: ({ query }) => query.get('to') ?? '',
  accept: () => ({ status: 202, body: `0: Accepted for delivery id=${randomUUID()}` }),
  reject: ({ query }) => ({
    status: 400,
    body: `Number ${query.get('to')} is not valid: "${query.get('text')}" is not sent`,
  }),
  throttle: () => ({ status: 429, headers: { 'retry-after': '0' }, body: 'Too many' }),
};
