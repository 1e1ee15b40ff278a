/** How a request was answered. */
import type { ReactNode } from 'react';
import type { RequestRowFragment } from '../../api/operations.generated.ts';
import { Status } from '../../ui/status.tsx';

/** The HTTP status as a dot with its number: of GraphQL a refusal may have 200. */
export function Outcome({ request }: { readonly request: RequestRowFragment }): ReactNode {
  return <Status status={request.code === null ? 'ACCEPTED' : 'REJECTED'} word={String(request.status)} />;
}
