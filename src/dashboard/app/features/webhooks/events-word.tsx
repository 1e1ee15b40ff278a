/** The events of an endpoint, in a few words. */
import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './webhooks.module.css';

/** How many are named before the rest is counted. */
const NAMED = 2;

/** The first of them, and how many more; all of them where it is pointed at. */
export function EventsWord({ events }: { readonly events: readonly string[] }): ReactNode {
  const more = events.length - NAMED;
  return (
    <Tooltip label={events.join(', ')} disabled={more <= 0} multiline>
      <span className={styles.events}>
        {events.slice(0, NAMED).join(', ')}
        {more > 0 && <span className="quiet"> + {more}</span>}
      </span>
    </Tooltip>
  );
}
