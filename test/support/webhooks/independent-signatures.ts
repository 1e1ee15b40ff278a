/** A consumer of webhooks that knows nothing of our code: the two signatures as the contract and Standard Webhooks describe them. */
import { createHmac } from 'node:crypto';
import type { Received } from './receiver.ts';

/** Whether `X-Service-Signature` was made with a secret. */
export function provesService({ headers, body }: Received, secret: string): boolean {
  const signed = `${headers['x-service-delivery']}.${headers['x-service-timestamp']}.${body}`;
  return headers['x-service-signature'] === `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`;
}

/** Whether one of the signatures of `webhook-signature` was made with a secret. */
export function provesStandard({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const made = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(made);
}
