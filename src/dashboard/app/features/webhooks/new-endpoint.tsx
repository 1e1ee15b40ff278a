/** Creating an endpoint, and what is shown once after it. */
import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import { useAnswer, useSecret } from '../../api/hooks.ts';
import { CreateWebhookEndpointDocument, WebhookEventKindsDocument } from '../../api/operations.generated.ts';
import { NotAllowed } from '../../frame/not-allowed.tsx';
import { useRights } from '../../frame/session/session.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Refusal } from './refusal.tsx';
import { ShownSecret } from './secret/shown-secret.tsx';
import { Snippets } from './secret/snippets.tsx';
import { SendTest } from './send-test.tsx';
import styles from './webhooks.module.css';

/** The page. */
export function NewWebhook(): ReactNode {
  const navigate = useNavigate();
  const { mayChange } = useRights();
  const create = useSecret(CreateWebhookEndpointDocument);
  // The list of events asks the same. An account without webhooks is refused here, before it fills anything in.
  const { error: refused, refetch } = useAnswer(WebhookEventKindsDocument, {});
  const { data, error } = create;
  if (data) return <Created {...data.createWebhookEndpoint} />;
  return (
    <Page title="Create endpoint" about="A URL of yours that the gateway posts signed events to.">
      {!mayChange && <NotAllowed what="create endpoints" needs="developer" />}
      {refused ? (
        <Refusal failure={refused} retry={refetch} />
      ) : (
        mayChange && (
          <EndpointForm
            first={{ url: '', description: '', events: [] }}
            verb="Create endpoint"
            save={draft => create.mutate({ input: draft })}
            isSaving={create.isPending}
            failure={error}
            cancel={() => void navigate('/webhooks')}
          />
        )
      )}
    </Page>
  );
}

function Created({
  endpoint: { endpointId, url, events },
  secret,
}: {
  readonly endpoint: { readonly endpointId: string; readonly url: string; readonly events: readonly string[] };
  readonly secret: string;
}): ReactNode {
  return (
    <Page
      title="Endpoint created"
      about={<span className={styles.wrap}>{url}</span>}
      actions={
        <Button component={Link} to={`/webhooks/${endpointId}`}>
          Show endpoint
        </Button>
      }
    >
      <ShownSecret secret={secret} />
      <div className={styles.columns}>
        <Section title="Check the signature">
          <Snippets />
        </Section>
        <Section title="Send a test">
          <SendTest endpointId={endpointId} events={events} />
        </Section>
      </div>
    </Page>
  );
}
