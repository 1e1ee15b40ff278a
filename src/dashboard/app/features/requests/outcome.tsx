/** How a request was answered. */
import type { ReactNode } from 'react';
import type { RequestRowFragment } from '../../api/operations.generated.ts';
import { Status } from '../../ui/status.tsx';

/** The HTTP status as a dot with its number: of GraphQL a refusal may have 200. */
export function Outcome({ request }: { readonly request: RequestRowFragment }): ReactNode {
  const isRefused = request.code !== null || request.status >= 400;
  return <Status status={isRefused ? 'REJECTED' : 'ACCEPTED'} word={String(request.status)} />;
}
