/** How the last 24 deliveries of an endpoint ended, as a bar each. */
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { LastWebhookDeliveriesDocument } from '../../api/operations.generated.ts';
import { percent } from '../../ui/words.ts';
import styles from './webhooks.module.css';

const BARS = 24;

/** The bars, the oldest first, with the share of those that arrived. */
export function LastDeliveries({ endpointId }: { readonly endpointId: string }): ReactNode {
  const { data } = useAnswer(LastWebhookDeliveriesDocument, { endpointId });
  if (!data) return <span className={styles.bars} />;
  const statuses = data.webhookDeliveries.nodes.map(({ status }) => status).toReversed();
  const [delivered, dead] = (['DELIVERED', 'DEAD'] as const).map(word => statuses.filter(one => one === word).length);
  if (statuses.length === 0) return <span className="quiet">none yet</span>;
  return (
    <span className={styles.health}>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${BARS * 4} 16`}
        role="img"
        aria-label={`Of the last ${statuses.length} deliveries ${delivered} arrived, ${dead} were given up`}
      >
        {statuses.map((status, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a place has one bar
            key={index}
            x={index * 4}
            y={status === 'PENDING' ? 10 : 2}
            width={3}
            height={status === 'PENDING' ? 6 : 14}
            fill={`var(--bar-${status === 'DELIVERED' ? 'delivered' : status === 'DEAD' ? 'failed' : 'pending'})`}
          />
        ))}
      </svg>
      <span className="numbers">{percent(delivered ?? 0, (delivered ?? 0) + (dead ?? 0))}</span>
    </span>
  );
}
