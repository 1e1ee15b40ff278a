/** The ways from a story to those beside it in the list. */
import { ActionIcon, Tooltip } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Icon } from '../../../ui/icons.tsx';
import styles from './story.module.css';

/** The stories before and after the one that is shown; absent: there is none. */
export interface Beside {
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
}

/** The stories beside one in a list, in which a story may have several rows. */
export function besideOf(stories: readonly string[], open: string): Beside {
  const each = [...new Set(stories)];
  const place = each.indexOf(open);
  return place === -1 ? {} : { previous: each[place - 1], next: each[place + 1] };
}

/** The buttons, and their keys. `show` shows another story. */
export function Steps({ beside, show }: { readonly beside: Beside; readonly show: (id: string) => void }): ReactNode {
  const go = (id: string | undefined) => (): void => {
    if (id !== undefined) show(id);
  };
  const [previous, next] = [go(beside.previous), go(beside.next)];
  useHotkeys([
    ['k', previous],
    ['ArrowLeft', previous],
    ['j', next],
    ['ArrowRight', next],
  ]);
  return (
    <div className={styles.steps}>
      <Tooltip label="Previous (k)">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Previous"
          disabled={beside.previous === undefined}
          onClick={previous}
        >
          <Icon name="up" />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Next (j)">
        <ActionIcon variant="subtle" color="gray" aria-label="Next" disabled={beside.next === undefined} onClick={next}>
          <Icon name="down" />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
