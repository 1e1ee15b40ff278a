/** The connections: the providers that texts go by, in the order in which they are tried. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { channelWord, LISTED_CHANNELS } from '../../api/channels.ts';
import { useAnswer } from '../../api/hooks.ts';
import { ConnectionsDocument } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { useAskedAccount } from '../../frame/session/whose.ts';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { useUrlState } from '../../ui/url-state.ts';
import { ConnectionForm } from './form/connection-form.tsx';
import { OrderedList } from './ordered-list.tsx';

/** How often it looks again: how connections are, and when they are tried again. */
const LOOK_MS = 15_000;

/** The page. */
export function Connections(): ReactNode {
  const { data, error, refetch } = useAnswer(ConnectionsDocument, useAskedAccount(), { refetchInterval: LOOK_MS });
  const { isOperator } = useRights();
  const [params, change] = useUrlState();
  const create = isOperator && (
    <Button leftSection={<Icon name="plus" size={14} />} onClick={() => change({ new: '1' })}>
      Create connection
    </Button>
  );
  return (
    <Page
      title="Connections"
      about="The providers that your texts go through. The first one that is well and serves the recipient is used."
      actions={create}
    >
      {!isOperator && params.has('new') && <NotAllowed what="create connections" needs="operator" />}
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data?.connections.length === 0 && (
        <Empty title="No connections yet">
          <p>
            This account sends through the connections that the gateway shares, or to the sandbox if there are none.{' '}
            {isOperator
              ? 'Create one to send through its own provider.'
              : 'The operator of the gateway creates connections.'}
          </p>
          {create}
        </Empty>
      )}
      {data && data.connectionGaps.length > 0 && (
        <Section title="Not everything can be sent">
          {data.connectionGaps.map(gap => (
            <p key={gap}>{gap}</p>
          ))}
        </Section>
      )}
      {LISTED_CHANNELS.map(channel => {
        const rows = data?.connections.filter(connection => connection.channel === channel) ?? [];
        return (
          rows.length > 0 && (
            <Section key={channel} title={channelWord(channel)}>
              <OrderedList channel={channel} connections={rows} providers={data?.providers ?? []} />
            </Section>
          )
        );
      })}
      {isOperator && params.get('new') === '1' && (
        <ConnectionForm connection={null} close={() => change({ new: null })} />
      )}
    </Page>
  );
}
