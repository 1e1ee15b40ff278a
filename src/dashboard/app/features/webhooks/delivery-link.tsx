/** Leads from the id of a delivery alone to the page of its endpoint, with the delivery open. */
import type { ReactNode } from 'react';
import { Link, Navigate, useParams } from 'react-router';
import { useAnswer } from '../../api/hooks.ts';
import { EndpointOfDeliveryDocument } from '../../api/operations.generated.ts';
import { Empty, FailureNote, Loading } from '../../ui/feedback.tsx';
import { Page } from '../../ui/page.tsx';

/** The page behind the link, until it is known where that leads. */
export function DeliveryLink(): ReactNode {
  const { deliveryId = '' } = useParams();
  const { data, error, refetch } = useAnswer(EndpointOfDeliveryDocument, { deliveryId });
  const endpointId = data?.webhookDelivery?.endpointId;
  if (endpointId) return <Navigate to={`/webhooks/${endpointId}?delivery=${deliveryId}`} replace />;
  return (
    <Page title="Delivery">
      {error && <FailureNote failure={error} retry={refetch} />}
      {!data && !error && <Loading lines={4} />}
      {data && (
        <Empty title="There is no such delivery, or it is no longer kept">
          <Link to="/webhooks">The endpoints</Link>
        </Empty>
      )}
    </Page>
  );
}
