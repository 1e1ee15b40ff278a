/** The layers of bars that are stacked by outcome. */
import type { Layer } from './bar.ts';

/** The layers of sends, from the lowest of a stack. */
export const LAYERS: readonly Layer[] = [
  { name: 'DELIVERED', label: 'delivered', colour: 'var(--bar-delivered)' },
  { name: 'READ', label: 'read', colour: 'var(--bar-read)' },
  { name: 'SENT', label: 'sent', colour: 'var(--bar-sent)' },
  { name: 'PENDING', label: 'pending', colour: 'var(--bar-pending)' },
  { name: 'UNKNOWN', label: 'unknown', colour: 'var(--bar-unknown)' },
  { name: 'FAILED', label: 'failed', colour: 'var(--bar-failed)' },
];

/** The layers of a log, with incoming texts. */
export const LOG_LAYERS: readonly Layer[] = [
  ...LAYERS,
  { name: 'RECEIVED', label: 'received', colour: 'var(--bar-received)' },
];

const LAYER_OF: Readonly<Record<string, string>> = { VERIFIED: 'DELIVERED', EXPIRED: 'FAILED', BLOCKED: 'FAILED' };

/** The layer that a status is stacked in; what has expired is counted as failed, as the totals of the overview do. */
export function layerOf(status: string): string {
  return LAYER_OF[status] ?? status;
}
