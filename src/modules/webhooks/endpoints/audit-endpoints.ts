/** The audit trail of endpoints: the settings that their account makes, and never a secret. */
import type { Ctx } from '../../../context.ts';
import type { AuditAction } from '../../audit/audit-actions.ts';
import { changes, recordOf } from '../../audit/record-audit.ts';
import type { WebhookEndpoint } from './webhook-endpoint.entity.ts';

/** The settings of an endpoint as they stand; `recordEndpointChange` compares them. */
export type EndpointState = Pick<WebhookEndpoint, 'url' | 'events' | 'description' | 'status'>;

/** The state of an endpoint now. */
export function stateOf({ url, events, description, status }: WebhookEndpoint): EndpointState {
  return { url, events: [...events], description: description ?? null, status };
}

/** Records what differs from the state before, if anything does. */
export async function recordEndpointChange(
  em: Ctx['em'],
  ctx: Ctx,
  endpoint: WebhookEndpoint,
  action: AuditAction,
  before: EndpointState,
): Promise<void> {
  const after = stateOf(endpoint);
  const details = changes({ ...before }, { ...after });
  if (details === null) return;
  const url = before.url === after.url ? {} : { url: { from: shownUrl(before.url), to: shownUrl(after.url) } };
  await recordOf(em, ctx, endpoint, action, { ...details, ...url });
}

/** A URL as the trail keeps it: without its query, often a password of the receiver, as an entry is kept for ever. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}
