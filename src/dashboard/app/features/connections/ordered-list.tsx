/** The connections of a channel in their order, which the operator changes by dragging or by buttons. */
import { ActionIcon } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask } from '../../api/ask.ts';
import { channelWord } from '../../api/channels.ts';
import {
  type Channel,
  type ConnectionFragment,
  type ConnectionsQuery,
  UpdateConnectionDocument,
} from '../../api/operations.generated.ts';
import { useRights } from '../../frame/session/session.tsx';
import type { Failure } from '../../ui/failure.ts';
import { FailureNote } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { ConnectionRow } from './connection-row.tsx';
import styles from './connections.module.css';

/** How far apart priorities are put: there is room between them for one that is set by hand. */
const STEP = 10;

/** The highest priority that the gateway takes. */
const PRIORITY_MAX = 10_000;

/** The list. */
export function OrderedList({
  channel,
  connections,
  providers,
}: {
  readonly channel: Channel;
  readonly connections: readonly ConnectionFragment[];
  readonly providers: ConnectionsQuery['providers'];
}): ReactNode {
  const { isOperator } = useRights();
  const order = useOrder(connections);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const isOrdered = isOperator && connections.length > 1;
  return (
    <>
      {order.error && <FailureNote failure={order.error} />}
      <ol className={styles.list} aria-label={`${channelWord(channel)} connections in their order`}>
        {connections.map((connection, place) => (
          <li
            key={connection.connectionId}
            draggable={isOrdered}
            data-over={(over === place && dragged !== place) || undefined}
            onDragStart={event => {
              // A drag in a dialog of the row comes here, too.
              if (event.target !== event.currentTarget) return;
              event.dataTransfer.effectAllowed = 'move';
              event.dataTransfer.setData('text/plain', connection.connectionId);
              setDragged(place);
            }}
            onDragOver={event => {
              if (dragged === null) return;
              event.preventDefault();
              setOver(place);
            }}
            onDragEnd={() => {
              setDragged(null);
              setOver(null);
            }}
            onDrop={event => {
              if (dragged === null) return;
              event.preventDefault();
              if (dragged !== place) order.move(dragged, place);
              setDragged(null);
              setOver(null);
            }}
          >
            <ConnectionRow
              connection={connection}
              providerName={providers.find(({ id }) => id === connection.provider)?.label ?? ''}
            >
              {isOrdered && (
                <span className={styles.order}>
                  <Icon name="drag" />
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Move ${connection.name} up`}
                    disabled={place === 0 || order.isBusy}
                    onClick={() => order.move(place, place - 1)}
                  >
                    <Icon name="up" size={14} />
                  </ActionIcon>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    aria-label={`Move ${connection.name} down`}
                    disabled={place === connections.length - 1 || order.isBusy}
                    onClick={() => order.move(place, place + 1)}
                  >
                    <Icon name="down" size={14} />
                  </ActionIcon>
                </span>
              )}
            </ConnectionRow>
          </li>
        ))}
      </ol>
    </>
  );
}

/** A priority between those of its neighbours; null: there is none left. Undefined: it is the first, or the last. */
function between(before: number | undefined, after: number | undefined): number | null {
  if (after === undefined) return (before ?? 0) + STEP;
  const middle = Math.floor(((before ?? -1) + after) / 2);
  return middle > (before ?? -1) && middle < after ? middle : null;
}

/** Moves a connection to another place: its priority is put between those of its neighbours, or where there is no room all are set anew. */
function useOrder(connections: readonly ConnectionFragment[]) {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation<
    void,
    Failure,
    { ordered: readonly ConnectionFragment[]; to: number }
  >({
    mutationFn: async ({ ordered, to }) => {
      const moved = ordered[to];
      const room = between(ordered[to - 1]?.priority, ordered[to + 1]?.priority);
      if (moved && room !== null && room <= PRIORITY_MAX) {
        await ask(UpdateConnectionDocument, { input: { connectionId: moved.connectionId, priority: room } });
        return;
      }
      for (const [place, { connectionId, priority }] of ordered.entries()) {
        const wanted = (place + 1) * STEP;
        if (priority !== wanted) await ask(UpdateConnectionDocument, { input: { connectionId, priority: wanted } });
      }
    },
    onSettled: () => client.invalidateQueries(),
  });
  const move = (from: number, to: number): void => {
    const ordered = [...connections];
    ordered.splice(to, 0, ...ordered.splice(from, 1));
    mutate({ ordered, to });
  };
  return { move, error, isBusy: isPending };
}
