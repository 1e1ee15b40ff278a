/** How the last 24 deliveries of an endpoint ended, as a bar each. */
import type { ReactNode } from 'react';
import { useAnswer } from '../../api/hooks.ts';
import { LastWebhookDeliveriesDocument } from '../../api/operations.generated.ts';
import { percent } from '../../ui/words.ts';
import { LOOK_MS } from './deliveries/use-deliveries.ts';
import styles from './webhooks.module.css';

const BARS = 24;

/** How a delivery ended, or that it failed and is tried again, or was not tried yet. */
type Ending = 'delivered' | 'failed' | 'unknown' | 'pending';

function endingOf({ status, tryCount }: { readonly status: string; readonly tryCount: number }): Ending {
  if (status === 'PENDING') return tryCount > 0 ? 'unknown' : 'pending';
  return status === 'DELIVERED' ? 'delivered' : 'failed';
}

/** The bars, the oldest first, with the share of those that arrived. */
export function LastDeliveries({ endpointId }: { readonly endpointId: string }): ReactNode {
  const { data } = useAnswer(LastWebhookDeliveriesDocument, { endpointId }, { refetchInterval: LOOK_MS });
  if (!data) return <span className={styles.bars} />;
  const endings = data.webhookDeliveries.nodes.map(endingOf).toReversed();
  const count = (ending: Ending): number => endings.filter(one => one === ending).length;
  const [delivered, dead, retried] = [count('delivered'), count('failed'), count('unknown')];
  if (endings.length === 0) return <span className="quiet">none yet</span>;
  return (
    <span className={styles.health}>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${BARS * 4} 16`}
        role="img"
        aria-label={`Of the last ${endings.length} deliveries ${delivered} arrived, ${retried} failed and are tried again, ${dead} were given up`}
      >
        {endings.map((ending, index) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a place has one bar
            key={index}
            x={index * 4}
            y={ending === 'pending' ? 10 : 2}
            width={3}
            height={ending === 'pending' ? 6 : 14}
            fill={`var(--bar-${ending})`}
          />
        ))}
      </svg>
      <span className="numbers">{percent(delivered, delivered + dead + retried)}</span>
    </span>
  );
}
